//! Semihosting by the interpreter.

use super::{Fault, Interpreter};
use crate::instruction::Trap;
use crate::machine::{Alignment, Size};
use crate::register::Register;
use crate::semihosting::{Console, Reply, semihosting};

impl Interpreter {
    /// `svc #0x123456`.
    pub(super) fn call_debugger(&mut self) -> Result<(), Fault> {
        let [operation, parameter, ..] = self.registers;
        match semihosting(self, operation, parameter)? {
            Reply::Value(value) => self.registers[0] = value,
            Reply::Exit => self.exited = true,
            Reply::Abort => {
                let trap = Trap::Breakpoint(0);
                return Err(Fault::Trap { trap });
            }
            Reply::Unknown => return Err(Fault::UnknownOperation { operation }),
        }
        Ok(())
    }
}

impl Console for Interpreter {
    type Error = Fault;

    fn word_at(&mut self, address: u32) -> Result<u32, Fault> {
        self.memory.load(address, Size::Word, Alignment::Any)
    }

    fn byte_at(&mut self, address: u32) -> Result<u8, Fault> {
        let byte = self.memory.load(address, Size::Byte, Alignment::Any)?;
        Ok(byte as u8)
    }

    fn set_word_at(&mut self, address: u32, value: u32) -> Result<(), Fault> {
        self.memory
            .store(address, Size::Word, Alignment::Any, value)?;
        if let Some(stores) = &mut self.stores {
            stores.push((address, 4));
        }
        Ok(())
    }

    fn stack_pointer(&mut self) -> Result<u32, Fault> {
        Ok(self.registers[Register::SP.index()])
    }

    fn write_out(&mut self, address: u32, count: u32) -> Result<(), Fault> {
        self.memory.read_into(&mut self.written, address, count)
    }
}
