//! Semihosting by the machine: all that it touches must be clear.

use a32::{Console, Reply, semihosting};

use super::memory::Loaded;
use super::{Fault, Symbolic, Word};

impl Symbolic {
    /// `svc #0x123456`.
    pub(super) fn call_debugger(&mut self) -> Result<(), Fault> {
        let [operation, parameter, ..] = &self.registers;
        let (Some(operation), Some(parameter)) = (operation.clear(), parameter.clear()) else {
            return Err(Fault::SecretArgument);
        };
        match semihosting(self, operation, parameter)? {
            Reply::Value(value) => {
                self.registers[0] = Word::Clear(value);
                self.choices[0] = None;
            }
            Reply::Exit => self.finished = true,
            Reply::Abort => return Err(Fault::Trap),
            Reply::Unknown => return Err(Fault::UnknownOperation { operation }),
        }
        Ok(())
    }

    fn clear_at(&mut self, address: u32, size: u32) -> Result<u32, Fault> {
        match self.memory.load(address, size)? {
            Loaded::Clear(value) => Ok(value),
            Loaded::Secret(_) => Err(Fault::SecretArgument),
        }
    }
}

impl Console for Symbolic {
    type Error = Fault;

    fn word_at(&mut self, address: u32) -> Result<u32, Fault> {
        self.clear_at(address, 4)
    }

    fn byte_at(&mut self, address: u32) -> Result<u8, Fault> {
        self.clear_at(address, 1).map(|byte| byte as u8)
    }

    fn set_word_at(&mut self, address: u32, value: u32) -> Result<(), Fault> {
        self.allow_store(address, 4)?;
        self.memory.store_clear(address, 4, value)
    }

    fn stack_pointer(&mut self) -> Result<u32, Fault> {
        self.registers[13].clear().ok_or(Fault::SecretArgument)
    }

    fn write_out(&mut self, address: u32, count: u32) -> Result<(), Fault> {
        self.write_bytes_out(address, count)
    }
}
