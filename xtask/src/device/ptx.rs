//! Taking PTX apart and putting modules together.

use anyhow::{Context, Result, bail};
use cluster_topk_device::Kernel;
use std::collections::BTreeSet;

/// A PTX file: its header and what it declares and defines.
#[derive(Debug)]
pub(crate) struct Ptx<'a> {
    header: &'a str,
    items: Vec<Item<'a>>,
}

#[derive(Debug)]
struct Item<'a> {
    kind: Kind,
    name: &'a str,
    text: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Entry,
    Function,
    Variable,
}

/// The directives that state a kernel's launch bounds.
pub(crate) fn launch_bounds(kernel: &Kernel) -> String {
    let mut directives =
        format!(".maxntid {}, 1, 1\n.minnctapersm {}\n", kernel.max_threads, kernel.min_blocks);
    if let Some(width) = kernel.cluster_width {
        directives += &format!(".reqnctapercluster {width}, 1, 1\n");
    }
    directives
}

impl<'a> Ptx<'a> {
    /// Takes `text` apart, as LLVM writes it: a header that ends with `.address_size`, then items.
    pub(crate) fn parse(text: &'a str) -> Result<Self> {
        let size = text.find(".address_size").context("PTX without .address_size")?;
        let end = size + text[size..].find('\n').context("PTX that ends with its header")?;
        let (header, mut rest) = text.split_at(end + 1);
        let mut items = Vec::new();
        while let Some(start) = item_start(rest) {
            let (item, after) = rest[start..].split_at(item_length(&rest[start..])?);
            items.push(Item::of(item)?);
            rest = after;
        }
        Ok(Self { header, items })
    }

    /// The entry points' names.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &'a str> {
        self.items.iter().filter(|item| item.kind == Kind::Entry).map(|item| item.name)
    }

    /// A module of the entry points named, each with its launch bounds, and all that they refer to.
    pub(crate) fn module(&self, bounds: &[(&str, String)]) -> Result<String> {
        let mut needed: BTreeSet<&str> = BTreeSet::new();
        let mut new: Vec<&str> = bounds.iter().map(|(name, _)| *name).collect();
        while let Some(name) = new.pop() {
            if needed.insert(name) {
                let texts = self.items.iter().filter(|item| item.name == name).map(|item| item.text);
                let words = texts.flat_map(|text| text.split(|c| !is_word(c)));
                new.extend(words.filter(|word| self.items.iter().any(|item| item.name == *word)));
            }
        }
        let mut module = self.header.to_owned();
        for item in self.items.iter().filter(|item| needed.contains(item.name)) {
            module.push('\n');
            match bounds.iter().find(|(name, _)| *name == item.name && item.kind == Kind::Entry) {
                Some((_, directives)) => {
                    let body = item.text.find('{').with_context(|| format!("{} has no body", item.name))?;
                    let (head, body) = item.text.split_at(body);
                    module.extend([head, directives, body]);
                }
                None => module += item.text,
            }
            module.push('\n');
        }
        match bounds.iter().find(|(name, _)| !self.entries().any(|entry| entry == *name)) {
            Some((name, _)) => bail!("the PTX has no entry point {name}"),
            None => Ok(module),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Where the next item starts: at a line whose first character is a dot.
fn item_start(text: &str) -> Option<usize> {
    if text.starts_with('.') { Some(0) } else { text.find("\n.").map(|at| at + 1) }
}

/// The length of the item that `text` starts with: up to the `;` or `}` that ends it.
fn item_length(text: &str) -> Result<usize> {
    let has_body = kind(text) != Kind::Variable;
    let (mut depth, mut comment) = (0usize, false);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' => comment = false,
            _ if comment => {}
            b'/' if bytes.get(at + 1) == Some(&b'/') => comment = true,
            b'{' => depth += 1,
            b'}' if depth == 1 && has_body => return Ok(at + 1),
            b'}' => depth = depth.checked_sub(1).context("unbalanced braces in PTX")?,
            b';' if depth == 0 => return Ok(at + 1),
            _ => {}
        }
    }
    bail!("a PTX item that does not end: {}", text.lines().next().unwrap_or_default())
}

fn kind(text: &str) -> Kind {
    let directives = text.split(['{', '(', '=', ';']).next().unwrap_or_default();
    let has = |directive| directives.split_whitespace().any(|word| word == directive);
    if has(".entry") {
        Kind::Entry
    } else if has(".func") {
        Kind::Function
    } else {
        Kind::Variable
    }
}

impl<'a> Item<'a> {
    fn of(text: &'a str) -> Result<Self> {
        let kind = kind(text);
        let after = |directive: &str| text.split_once(directive).map(|(_, rest)| rest.trim_start());
        let name = match kind {
            Kind::Entry => after(".entry"),
            // A function's results, in parentheses, precede its name.
            Kind::Function => after(".func").and_then(|rest| match rest.strip_prefix('(') {
                Some(results) => results.split_once(')').map(|(_, rest)| rest.trim_start()),
                None => Some(rest),
            }),
            // A variable's name is the last word before its size, its value or its end.
            Kind::Variable => text
                .split(['[', '=', ';'])
                .next()
                .and_then(|declaration| declaration.trim_end().rsplit(|c| !is_word(c)).next()),
        };
        let name = name.and_then(|rest| rest.split(|c| !is_word(c)).next()).filter(|name| !name.is_empty());
        let name = name.with_context(|| format!("no name in {}", text.lines().next().unwrap_or_default()))?;
        Ok(Self { kind, name, text })
    }
}

#[cfg(test)]
mod tests {
    use super::Ptx;

    const TEXT: &str = "//\n.version 8.0\n.target sm_90\n.address_size 64\n\n\t// .globl\tone\n\
        .extern .shared .align 128 .b8 memory[];\n\
        .global .align 4 .b8 table[8] = {1, 2};\n\
        .func  (.param .b32 func_retval0) helper(\n\t.param .b32 helper_param_0\n)\n;\n\
        .visible .entry one(\n\t.param .b32 one_param_0\n)\n{\n\tmov.b64 %rd1, memory;\n\t{\n.reg .pred p;\n}\n\tret; // }\n}\n\
        \t// .globl\ttwo\n\
        .visible .entry two()\n{\n\tcall.uni (retval0), helper, (param0);\n}\n\
        .func  (.param .b32 func_retval0) helper(\n\t.param .b32 helper_param_0\n)\n{\n\tmov.b64 %rd1, table;\n}\n";

    #[test]
    fn a_module_holds_what_its_entries_need() {
        let ptx = Ptx::parse(TEXT).unwrap();
        assert_eq!(ptx.entries().collect::<Vec<_>>(), ["one", "two"]);
        let one = ptx.module(&[("one", ".maxntid 32, 1, 1\n".to_owned())]).unwrap();
        assert!(
            one.contains("memory[]")
                && !one.contains("table")
                && !one.contains("helper")
                && !one.contains("two")
        );
        assert!(one.contains(")\n.maxntid 32, 1, 1\n{"), "{one}");
        let two = ptx.module(&[("two", String::new())]).unwrap();
        assert!(two.contains("table[8]") && two.matches(".func").count() == 2 && !two.contains("memory"));
    }

    #[test]
    fn an_absent_entry_is_an_error() {
        assert!(Ptx::parse(TEXT).unwrap().module(&[("three", String::new())]).is_err());
    }
}
