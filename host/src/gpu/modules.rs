//! The embedded device code, and the modules that are loaded from it.

use super::driver::{Function, Module};
use crate::error::Error;
use cluster_topk_abi::arch::ComputeCapability;
use cudarc::driver::CudaContext;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A PTX module in the library.
#[derive(Debug)]
pub(super) struct Embedded {
    /// The least architecture that can load it: `sm_80` or `sm_90`.
    pub(super) target: &'static str,
    /// Its agent family and key width.
    pub(super) name: &'static str,
    pub(super) ptx: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// Whether this build carries device code at all.
pub(super) fn any() -> bool {
    !MODULES.is_empty()
}

/// The PTX of module `name` for a device.
fn embedded(name: &str, capability: ComputeCapability) -> Result<&'static Embedded, Error> {
    let target = if capability.cluster_capable() { "sm_90" } else { "sm_80" };
    let found = MODULES.iter().find(|module| module.name == name && module.target == target);
    found.ok_or(Error::DeviceCodeMissing { remedy: super::REMEDY })
}

/// The modules loaded into one context, each on first use.
#[derive(Debug)]
pub(super) struct Modules {
    context: Arc<CudaContext>,
    capability: ComputeCapability,
    loaded: Mutex<HashMap<&'static str, Arc<Module>>>,
    functions: Mutex<HashMap<&'static str, Arc<Function>>>,
}

impl Modules {
    /// The modules of `context`, shared by all engines in it.
    pub(super) fn of(context: &Arc<CudaContext>, capability: ComputeCapability) -> Arc<Self> {
        static ALL: OnceLock<Mutex<HashMap<usize, Weak<Modules>>>> = OnceLock::new();
        let mut all = ALL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        // An entry whose context is gone is dead: the modules hold their context.
        all.retain(|_, modules| modules.strong_count() > 0);
        let key = context.cu_ctx() as usize;
        if let Some(modules) = all.get(&key).and_then(Weak::upgrade) {
            return modules;
        }
        let modules = Arc::new(Self {
            context: context.clone(),
            capability,
            loaded: Mutex::default(),
            functions: Mutex::default(),
        });
        all.insert(key, Arc::downgrade(&modules));
        modules
    }

    /// An entry point, if its module is loaded already.
    pub(super) fn ready(&self, entry: &str) -> Option<Arc<Function>> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).get(entry).cloned()
    }

    /// An entry point, its module loaded if need be.
    pub(super) fn function(&self, module: &'static str, entry: &'static str) -> Result<Arc<Function>, Error> {
        if let Some(function) = self.ready(entry) {
            return Ok(function);
        }
        // Held over the load: a second thread would compile the same module again.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let module = match loaded.get(module) {
            Some(module) => module.clone(),
            None => {
                let new = Arc::new(Module::load(&self.context, embedded(module, self.capability)?.ptx)?);
                loaded.insert(module, new.clone());
                new
            }
        };
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(entry) {
            return Ok(function.clone());
        }
        let function = Arc::new(module.function(entry)?);
        functions.insert(entry, function.clone());
        Ok(function)
    }
}
