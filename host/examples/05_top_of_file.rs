//! Selects the top of each row of a matrix in a file, and writes it as CSV.
//!
//! ```text
//! cargo run --release --package cluster-topk --example 05_top_of_file -- --k 3 scores.csv
//! cargo run --release --package cluster-topk --example 05_top_of_file -- --k 3 --smallest host/examples/data/digits.npy
//! ```
//!
//! Takes `.npy` (any integer or float type, one or two dimensions) and `.csv` (numbers, no header, rows of one length).
//! Standard output gets a line `row,rank,index,key` per item; standard error gets the plan.

use clap::Parser;
use cluster_topk::half::f16;
use cluster_topk::prelude::*;
use cluster_topk::{Key, Plan};
use npyz::{DType, NpyFile, Order, TypeChar};
use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Selects the largest or smallest entries of each row of a matrix.
#[derive(Parser)]
struct Options {
    /// A `.npy` or `.csv` file
    file: PathBuf,
    /// How many entries of each row
    #[arg(long, default_value_t = 5)]
    k: u32,
    /// The smallest entries instead of the largest
    #[arg(long)]
    smallest: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(plan) => {
            eprintln!("{plan}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("error: {}: {e}", options.file.display());
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<Plan, Box<dyn Error>> {
    match options.file.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => top(&read_csv(&options.file)?, options),
        Some("npy") => top_of_npy(options),
        _ => Err("the name must end in .npy or .csv".into()),
    }
}

/// A matrix, row by row.
struct Matrix<T> {
    rows: usize,
    columns: usize,
    entries: Vec<T>,
}

/// Selects from the matrix and writes the answer to standard output.
fn top<K: Key + Display>(matrix: &Matrix<K>, options: &Options) -> Result<Plan, Box<dyn Error>> {
    let &Matrix { rows, columns, ref entries } = matrix;
    // No row has more than `columns` entries to give, so that is all the room it needs.
    let k = columns.min(options.k as usize);
    let mut keys = vec![K::zeroed(); rows * k];
    let mut places = vec![0u32; rows * k];
    let env = Env::best_available();
    let segments = Segments::rows(entries, rows, columns);
    let request = if options.smallest {
        min_keys_and_indices(segments, k, &mut keys, &mut places)
    } else {
        max_keys_and_indices(segments, k, &mut keys, &mut places)
    };
    let plan = request.plan(&env)?;
    request.run(&env)?;

    let mut out = csv::Writer::from_writer(io::stdout().lock());
    out.write_record(["row", "rank", "index", "key"])?;
    for (i, (key, place)) in keys.iter().zip(&places).enumerate() {
        out.write_record([(i / k).to_string(), (i % k).to_string(), place.to_string(), key.to_string()])?;
    }
    out.flush()?;
    Ok(plan)
}

/// Reads numbers; the reader itself refuses rows of unequal length.
fn read_csv(path: &Path) -> Result<Matrix<f64>, Box<dyn Error>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_path(path)?;
    let mut matrix = Matrix { rows: 0, columns: 0, entries: Vec::new() };
    for record in reader.records() {
        let record = record?;
        matrix.rows += 1;
        matrix.columns = record.len();
        for (column, text) in record.iter().enumerate() {
            let number = text.parse();
            matrix.entries.push(number.map_err(|_| {
                format!("line {}, column {}: `{text}` is not a number", matrix.rows, column + 1)
            })?);
        }
    }
    Ok(matrix)
}

/// Reads a matrix of whatever type the file says, and selects from it.
fn top_of_npy(options: &Options) -> Result<Plan, Box<dyn Error>> {
    let npy = NpyFile::new(io::BufReader::new(std::fs::File::open(&options.file)?))?;
    let DType::Plain(element) = npy.dtype() else {
        return Err("the array holds records: a plain number type is needed".into());
    };
    match (element.type_char(), element.size_field()) {
        (TypeChar::Uint, 1) => top(&matrix::<u8>(npy)?, options),
        (TypeChar::Uint, 2) => top(&matrix::<u16>(npy)?, options),
        (TypeChar::Uint, 4) => top(&matrix::<u32>(npy)?, options),
        (TypeChar::Uint, 8) => top(&matrix::<u64>(npy)?, options),
        (TypeChar::Int, 1) => top(&matrix::<i8>(npy)?, options),
        (TypeChar::Int, 2) => top(&matrix::<i16>(npy)?, options),
        (TypeChar::Int, 4) => top(&matrix::<i32>(npy)?, options),
        (TypeChar::Int, 8) => top(&matrix::<i64>(npy)?, options),
        (TypeChar::Float, 2) => top(&matrix::<f16>(npy)?, options),
        (TypeChar::Float, 4) => top(&matrix::<f32>(npy)?, options),
        (TypeChar::Float, 8) => top(&matrix::<f64>(npy)?, options),
        _ => {
            Err(format!("the array holds {element}: integers and floats of up to 8 bytes can be selected by")
                .into())
        }
    }
}

/// The entries of a file whose type was looked at, row by row.
fn matrix<T: npyz::Deserialize>(npy: NpyFile<impl io::BufRead>) -> Result<Matrix<T>, Box<dyn Error>> {
    let (rows, columns) = match *npy.shape() {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        ref shape => return Err(format!("the shape is {shape:?}: one or two dimensions are needed").into()),
    };
    if npy.order() == Order::Fortran && rows > 1 && columns > 1 {
        return Err("the array is stored column by column: save it with numpy.ascontiguousarray".into());
    }
    let (rows, columns) = (rows.try_into()?, columns.try_into()?);
    Ok(Matrix { rows, columns, entries: npy.into_vec()? })
}
