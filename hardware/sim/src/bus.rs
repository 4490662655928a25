//! Our circuit behind AXI4 (`axi_engine.sv`), with beats of 256 bits.

use std::collections::VecDeque;
use std::ffi::c_void;

use bignum::paper::{OPERAND_LIMBS, PRODUCT_LIMBS};

use crate::{Command, Lanes, Slot};

/// Rows of a number: digit `n` of row `t` is digit `t + 1024·n`.
const ROWS: usize = 1024;
/// Bytes of a digit.
const DIGIT: usize = 3;
/// Bytes of a beat.
const BEAT: usize = 32;
/// Cycles within which a register answers, whoever pauses.
const PATIENCE: usize = 10_000;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Ports {
    aresetn: u8,
    s_tvalid: u8,
    s_tlast: u8,
    m_tready: u8,
    awaddr: u8,
    awvalid: u8,
    wstrb: u8,
    wvalid: u8,
    bready: u8,
    araddr: u8,
    arvalid: u8,
    rready: u8,
    s_tready: u8,
    m_tvalid: u8,
    m_tlast: u8,
    awready: u8,
    wready: u8,
    bresp: u8,
    bvalid: u8,
    arready: u8,
    rresp: u8,
    rvalid: u8,
    irq: u8,
    s_tdata: [u8; BEAT],
    m_tdata: [u8; BEAT],
    wdata: u32,
    rdata: u32,
}

unsafe extern "C" {
    fn axi_engine_16_new() -> *mut c_void;
    fn axi_engine_16_drop(model: *mut c_void);
    fn axi_engine_16_cycle(model: *mut c_void, ports: *mut Ports);
}

#[cfg(feature = "whole")]
unsafe extern "C" {
    fn axi_engine_32_new() -> *mut c_void;
    fn axi_engine_32_drop(model: *mut c_void);
    fn axi_engine_32_cycle(model: *mut c_void, ports: *mut Ports);
    fn axi_engine_64_new() -> *mut c_void;
    fn axi_engine_64_drop(model: *mut c_void);
    fn axi_engine_64_cycle(model: *mut c_void, ports: *mut Ports);
}

/// What there is of a model.
struct Functions {
    new: unsafe extern "C" fn() -> *mut c_void,
    drop: unsafe extern "C" fn(*mut c_void),
    cycle: unsafe extern "C" fn(*mut c_void, *mut Ports),
}

impl Functions {
    fn of(lanes: Lanes) -> Self {
        match lanes {
            Lanes::Sixteen => Self {
                new: axi_engine_16_new,
                drop: axi_engine_16_drop,
                cycle: axi_engine_16_cycle,
            },
            #[cfg(feature = "whole")]
            Lanes::ThirtyTwo => Self {
                new: axi_engine_32_new,
                drop: axi_engine_32_drop,
                cycle: axi_engine_32_cycle,
            },
            #[cfg(feature = "whole")]
            Lanes::SixtyFour => Self {
                new: axi_engine_64_new,
                drop: axi_engine_64_drop,
                cycle: axi_engine_64_cycle,
            },
            #[cfg(not(feature = "whole"))]
            _ => panic!("no model with {lanes:?} lanes: the feature `whole` has more"),
        }
    }
}

/// Registers by their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Register {
    /// "BLND".
    Identification = 0x00,
    /// 1.0.
    Version = 0x04,
    /// Lanes, and bits of a beat.
    Shape = 0x08,
    /// Restarts.
    Control = 0x0C,
    /// Asks for a command.
    Command = 0x10,
    /// What is going on, what happened.
    Status = 0x14,
    /// What of that interrupts.
    Interrupts = 0x18,
    /// Cycles of the last command.
    Cycles = 0x1C,
    /// Products that left.
    Products = 0x20,
}

/// Bits of the status.
pub mod status {
    /// A command is at work.
    pub const BUSY: u32 = 1 << 0;
    /// A command has ended.
    pub const DONE: u32 = 1 << 1;
    /// A packet of operands is being discarded.
    pub const DISCARDING: u32 = 1 << 2;
    /// There is no such command.
    pub const UNKNOWN: u32 = 1 << 8;
    /// A command was asked for while another was at work.
    pub const BUSY_BEFORE: u32 = 1 << 9;
    /// TLAST came early.
    pub const TOO_SHORT: u32 = 1 << 10;
    /// TLAST did not come with the last row.
    pub const TOO_LONG: u32 = 1 << 11;
    /// Nothing was kept in a slot.
    pub const SLOT_EMPTY: u32 = 1 << 12;
    /// The slots of a modular product do not belong together.
    pub const WRONG: u32 = 1 << 13;
    /// All of the above, without what the engine does.
    pub const ALL: u32 = 0xFFFF;
}

/// A side's part in one of the five channels of the registers or the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Operands are offered.
    Operands,
    /// Products are taken.
    Products,
    /// The address of a write is offered.
    WriteAddress,
    /// Its data is offered.
    WriteData,
    /// Its response is taken.
    WriteResponse,
    /// The address of a read is offered.
    ReadAddress,
    /// What was read is taken.
    ReadData,
}

/// A beat of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// TDATA.
    pub data: [u8; BEAT],
    /// TLAST.
    pub last: bool,
}

/// The answer to a write or a read was an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// What a register answers.
pub type Answer<T> = Result<T, Refused>;

/// The circuit, powered on, and a master and two streams that keep the rules of AXI; that the circuit
/// does, too, is looked at in every cycle.
pub struct AxiEngine {
    model: *mut c_void,
    functions: Functions,
    ports: Ports,
    /// Whether a side pauses in a cycle.
    pauses: Box<dyn FnMut(Channel) -> bool>,
    operands: VecDeque<Beat>,
    products: VecDeque<Beat>,
    write_addresses: VecDeque<u8>,
    write_data: VecDeque<(u32, u8)>,
    write_responses: VecDeque<u8>,
    read_addresses: VecDeque<u8>,
    read_data: VecDeque<(u32, u8)>,
    /// Addresses and data of writes that were taken and not answered yet, and addresses of reads.
    outstanding: [usize; 3],
    cycles: usize,
}

impl AxiEngine {
    /// After a reset.
    ///
    /// # Panics
    /// If there is no model with so many lanes.
    pub fn new(lanes: Lanes, pauses: impl FnMut(Channel) -> bool + 'static) -> Self {
        let functions = Functions::of(lanes);
        let mut made = Self {
            // SAFETY: a constructor without arguments.
            model: unsafe { (functions.new)() },
            functions,
            ports: Ports::default(),
            pauses: Box::new(pauses),
            operands: VecDeque::new(),
            products: VecDeque::new(),
            write_addresses: VecDeque::new(),
            write_data: VecDeque::new(),
            write_responses: VecDeque::new(),
            read_addresses: VecDeque::new(),
            read_data: VecDeque::new(),
            outstanding: [0; 3],
            cycles: 0,
        };
        made.reset();
        made
    }

    /// A reset by its wire, of two cycles, at any time: both sides forget everything.
    pub fn reset(&mut self) {
        self.ports = Ports::default();
        for _ in 0..2 {
            // SAFETY: the model lives, and `Ports` is laid out as in the shim.
            unsafe { (self.functions.cycle)(self.model, &mut self.ports) };
        }
        let Ports {
            m_tvalid,
            bvalid,
            rvalid,
            irq,
            ..
        } = self.ports;
        assert_eq!(
            [m_tvalid, bvalid, rvalid, irq],
            [0; 4],
            "offered in a reset"
        );
        self.ports.aresetn = 1;
        self.operands.clear();
        self.products.clear();
        self.write_addresses.clear();
        self.write_data.clear();
        self.write_responses.clear();
        self.read_addresses.clear();
        self.read_data.clear();
        self.outstanding = [0; 3];
        self.cycles = 0;
    }

    /// Cycles since the reset.
    pub fn cycles(&self) -> usize {
        self.cycles
    }

    /// Pauses from here on.
    pub fn set_pauses(&mut self, pauses: impl FnMut(Channel) -> bool + 'static) {
        self.pauses = Box::new(pauses);
    }

    /// The interrupt's wire.
    pub fn interrupts(&self) -> bool {
        self.ports.irq == 1
    }

    /// Writes a register.
    pub fn write(&mut self, register: Register, data: u32) {
        let done = self.write_bytes(register as u8, data, 0b1111);
        assert_eq!(done, Ok(()), "{register:?}");
    }

    /// Writes some bytes at an address.
    ///
    /// # Panics
    /// If that is not answered.
    pub fn write_bytes(&mut self, address: u8, data: u32, strobes: u8) -> Result<(), Refused> {
        self.write_addresses.push_back(address);
        self.write_data.push_back((data, strobes));
        for _ in 0..PATIENCE {
            self.cycle();
            match self.write_responses.pop_front() {
                Some(0) => return Ok(()),
                Some(response) => {
                    assert_eq!(response, 2);
                    return Err(Refused);
                }
                None => {}
            }
        }
        panic!("a write is not answered");
    }

    /// Writes `(address, data, strobes)` and reads addresses, each as soon as the circuit takes it, and
    /// gives the answers in their order.
    ///
    /// # Panics
    /// If something is not answered.
    pub fn all_at_once(
        &mut self,
        writes: &[(u8, u32, u8)],
        reads: &[u8],
    ) -> (Vec<Answer<()>>, Vec<Answer<u32>>) {
        for &(address, data, strobes) in writes {
            self.write_addresses.push_back(address);
            self.write_data.push_back((data, strobes));
        }
        self.read_addresses.extend(reads);
        let begun = self.cycles;
        while self.write_responses.len() < writes.len() || self.read_data.len() < reads.len() {
            self.cycle();
            assert!(
                self.cycles < begun + 2 * PATIENCE,
                "something is not answered"
            );
        }
        let answer = |response| match response {
            0 => Ok(()),
            response => {
                assert_eq!(response, 2);
                Err(Refused)
            }
        };
        let written = self.write_responses.drain(..).map(answer).collect();
        let read = self.read_data.drain(..);
        let read = read.map(|(data, response)| answer(response).map(|()| data));
        (written, read.collect())
    }

    /// Reads a register.
    pub fn read(&mut self, register: Register) -> u32 {
        self.read_at(register as u8).expect("a register")
    }

    /// Reads at an address.
    ///
    /// # Panics
    /// If that is not answered.
    pub fn read_at(&mut self, address: u8) -> Result<u32, Refused> {
        self.read_addresses.push_back(address);
        for _ in 0..PATIENCE {
            self.cycle();
            match self.read_data.pop_front() {
                Some((data, 0)) => return Ok(data),
                Some((_, response)) => {
                    assert_eq!(response, 2);
                    return Err(Refused);
                }
                None => {}
            }
        }
        panic!("a read is not answered");
    }

    /// The bits of the status.
    pub fn status(&mut self) -> u32 {
        self.read(Register::Status) & status::ALL
    }

    /// Asks for a command.
    pub fn command(&mut self, command: Command) {
        self.write(Register::Command, code(command));
    }

    /// Puts beats into the queue of what is sent.
    pub fn send(&mut self, beats: impl IntoIterator<Item = Beat>) {
        self.operands.extend(beats);
    }

    /// Beats that were not taken yet.
    pub fn unsent(&self) -> usize {
        self.operands.len()
    }

    /// Stops sending, between two beats.
    pub fn forget_operands(&mut self) {
        self.operands
            .truncate(usize::from(self.ports.s_tvalid == 1));
    }

    /// Beats that were received.
    pub fn receive(&mut self) -> Vec<Beat> {
        self.products.drain(..).collect()
    }

    /// Waits until nothing is at work, and gives and clears what happened.
    ///
    /// # Panics
    /// If that never comes.
    pub fn wait(&mut self) -> u32 {
        let begun = self.cycles;
        loop {
            let found = self.status();
            if found & status::BUSY == 0 {
                self.write(Register::Status, found);
                return found;
            }
            assert!(self.cycles < begun + 1_000_000, "the circuit does not end");
        }
    }

    /// A cycle.
    pub fn cycle(&mut self) {
        let before = self.ports;
        let ports = &mut self.ports;
        // What is offered stays until it is taken.
        let mut offer = |channel, offered: u8, taken: u8, there: bool| {
            let stays = offered == 1 && taken == 0;
            u8::from(stays || there && !(self.pauses)(channel))
        };
        ports.s_tvalid = offer(
            Channel::Operands,
            before.s_tvalid,
            before.s_tready,
            !self.operands.is_empty(),
        );
        ports.awvalid = offer(
            Channel::WriteAddress,
            before.awvalid,
            before.awready,
            !self.write_addresses.is_empty(),
        );
        ports.wvalid = offer(
            Channel::WriteData,
            before.wvalid,
            before.wready,
            !self.write_data.is_empty(),
        );
        ports.arvalid = offer(
            Channel::ReadAddress,
            before.arvalid,
            before.arready,
            !self.read_addresses.is_empty(),
        );
        ports.m_tready = (!(self.pauses)(Channel::Products)).into();
        ports.bready = (!(self.pauses)(Channel::WriteResponse)).into();
        ports.rready = (!(self.pauses)(Channel::ReadData)).into();
        // What is not valid is anything.
        let noise = self.cycles as u8;
        (ports.s_tdata, ports.s_tlast) = match self.operands.front() {
            Some(beat) if ports.s_tvalid == 1 => (beat.data, beat.last.into()),
            _ => ([noise; BEAT], noise & 1),
        };
        ports.awaddr = match self.write_addresses.front() {
            Some(&address) if ports.awvalid == 1 => address,
            _ => noise,
        };
        (ports.wdata, ports.wstrb) = match self.write_data.front() {
            Some(&data) if ports.wvalid == 1 => data,
            _ => (u32::from(noise) * 0x0101_0101, noise & 15),
        };
        ports.araddr = match self.read_addresses.front() {
            Some(&address) if ports.arvalid == 1 => address,
            _ => noise,
        };

        // SAFETY: the model lives, and `Ports` is laid out as in the shim.
        unsafe { (self.functions.cycle)(self.model, ports) };
        self.cycles += 1;

        // So do the circuit's offers.
        if before.m_tvalid == 1 && before.m_tready == 0 {
            assert_eq!(
                (ports.m_tvalid, ports.m_tlast, ports.m_tdata),
                (1, before.m_tlast, before.m_tdata)
            );
        }
        if before.bvalid == 1 && before.bready == 0 {
            assert_eq!((ports.bvalid, ports.bresp), (1, before.bresp));
        }
        if before.rvalid == 1 && before.rready == 0 {
            assert_eq!(
                (ports.rvalid, ports.rresp, ports.rdata),
                (1, before.rresp, before.rdata)
            );
        }

        if ports.s_tvalid & ports.s_tready == 1 {
            self.operands.pop_front();
        }
        if ports.m_tvalid & ports.m_tready == 1 {
            self.products.push_back(Beat {
                data: ports.m_tdata,
                last: ports.m_tlast == 1,
            });
        }
        // A write is answered after its address and its data.
        if ports.bvalid & ports.bready == 1 {
            assert!(self.outstanding[0] > 0 && self.outstanding[1] > 0);
            self.outstanding[0] -= 1;
            self.outstanding[1] -= 1;
            self.write_responses.push_back(ports.bresp);
        }
        if ports.rvalid & ports.rready == 1 {
            assert!(self.outstanding[2] > 0);
            self.outstanding[2] -= 1;
            self.read_data.push_back((ports.rdata, ports.rresp));
        }
        if ports.awvalid & ports.awready == 1 {
            self.outstanding[0] += 1;
            self.write_addresses.pop_front();
        }
        if ports.wvalid & ports.wready == 1 {
            self.outstanding[1] += 1;
            self.write_data.pop_front();
        }
        if ports.arvalid & ports.arready == 1 {
            self.outstanding[2] += 1;
            self.read_addresses.pop_front();
        }
    }
}

impl Drop for AxiEngine {
    fn drop(&mut self) {
        // SAFETY: `new` made it, and nobody else has it.
        unsafe { (self.functions.drop)(self.model) }
    }
}

/// A command as it is written.
fn code(command: Command) -> u32 {
    match command {
        Command::Multiply => 0,
        Command::Square => 1,
        Command::Keep(slot) => 2 | u32::from(slot == Slot::One) << 8,
        Command::Kept(slot) => 3 | u32::from(slot == Slot::One) << 8,
        Command::BothKept => 4,
        Command::Modular => 5,
        Command::ModularSquare => 6,
    }
}

/// The packet of one or two operands.
///
/// # Panics
/// If an operand is longer than 12,288 limbs.
pub fn packet(operands: &[&[u64]]) -> Vec<Beat> {
    let bytes = |number: &&[u64]| {
        assert!(number.len() <= OPERAND_LIMBS);
        let mut bytes: Vec<u8> = number.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        bytes.resize(8 * OPERAND_LIMBS, 0);
        bytes
    };
    let numbers: Vec<Vec<u8>> = operands.iter().map(bytes).collect();
    let digits = OPERAND_LIMBS * 8 / DIGIT / ROWS;
    let mut stream = Vec::new();
    for t in 0..ROWS {
        for number in &numbers {
            for n in 0..digits {
                stream.extend_from_slice(&number[DIGIT * (t + ROWS * n)..][..DIGIT]);
            }
        }
    }
    let mut beats: Vec<Beat> = stream
        .chunks_exact(BEAT)
        .map(|data| Beat {
            data: std::array::from_fn(|at| data[at]),
            last: false,
        })
        .collect();
    if let Some(last) = beats.last_mut() {
        last.last = true;
    }
    beats
}

/// The number in the packet of a product: 24,576 limbs, of a modular product 12,288.
///
/// # Panics
/// If it is not one packet, or of another length.
pub fn product(beats: &[Beat]) -> Vec<u64> {
    for (at, beat) in beats.iter().enumerate() {
        assert_eq!(beat.last, at + 1 == beats.len(), "TLAST of beat {at}");
    }
    let stream: Vec<u8> = beats.iter().flat_map(|beat| beat.data).collect();
    assert!([8 * OPERAND_LIMBS, 8 * PRODUCT_LIMBS].contains(&stream.len()));
    let mut bytes = vec![0; stream.len()];
    for (t, row) in stream.chunks_exact(stream.len() / ROWS).enumerate() {
        for (n, digit) in row.chunks_exact(DIGIT).enumerate() {
            bytes[DIGIT * (t + ROWS * n)..][..DIGIT].copy_from_slice(digit);
        }
    }
    let limbs = bytes.chunks_exact(8);
    limbs
        .map(|limb| u64::from_le_bytes(std::array::from_fn(|at| limb[at])))
        .collect()
}
