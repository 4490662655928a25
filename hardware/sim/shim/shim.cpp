// What Rust calls: one cycle of a model, with its wide ports as arrays of words.
//
// Outputs are those before the clock's edge; inputs are taken at it.

#include <cstdint>
#include <cstring>

#include "Vcarries_16.h"
#include "Vcarry_unit.h"
#include "Vmultiplier.h"
#include "Vmultiplier___024root.h"
#include "Vmultiply.h"
#include "Vnormalize.h"
#include "Vradix_16.h"
#include "Vradix_4.h"
#include "Vsum_16.h"
#include "Vturned_residue.h"
#include "drop.h"
#include "verilated.h"
#if WHOLE
#include "Vcarries_64.h"
#include "Vengine_16.h"
#include "Vengine_32.h"
#include "Vengine_64.h"
#endif

// The runtime asks for it.
double sc_time_stamp() { return 0; }

#if COVERAGE
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "verilated_cov.h"

namespace {

// What ran, into a file of this process in the folder that is named.
struct Written {
  // What counts is made before this, and so ends after it.
  Written() { Verilated::threadContextp(); }
  ~Written() {
    const char* folder = std::getenv("COVERAGE_FOLDER");
    if (folder) {
      VerilatedCov::write((std::string(folder) + "/" + std::to_string(getpid()) + ".dat").c_str());
    }
  }
} written;

}  // namespace
#endif

namespace {

template <typename Model>
void edge(Model* model) {
  model->clock = 1;
  model->eval();
  model->clock = 0;
  model->eval();
}

template <typename Port>
void put(Port& port, const void* words) {
  std::memcpy(&port, words, sizeof(port));
}

template <typename Port>
void get(const Port& port, void* words) {
  std::memcpy(words, &port, sizeof(port));
}

struct EnginePorts {
  uint8_t reset, command_valid, command, slot, in_valid, out_ready;
  uint8_t command_ready, in_ready, out_valid, wrong, round, stage, pass;
  uint32_t in_a[24], in_b[24], out_digits[48];
};

template <typename Model>
void engine_cycle(void* of, EnginePorts* ports) {
  auto* model = static_cast<Model*>(of);
  model->reset = ports->reset;
  model->command_valid = ports->command_valid;
  model->command = ports->command;
  model->slot = ports->slot;
  model->in_valid = ports->in_valid;
  model->out_ready = ports->out_ready;
  put(model->in_a, ports->in_a);
  put(model->in_b, ports->in_b);
  model->eval();
  ports->command_ready = model->command_ready;
  ports->in_ready = model->in_ready;
  ports->out_valid = model->out_valid;
  ports->wrong = model->wrong;
  ports->round = model->round;
  ports->stage = model->stage;
  ports->pass = model->pass;
  get(model->out_digits, ports->out_digits);
  edge(model);
}

struct CarriesPorts {
  uint8_t clear, start, pass_on, estimate, exact, take, beat;
  uint8_t unsure, exceeds, there, there_beat;
  uint64_t sums[64];
  uint32_t added[48], digits[48];
};

template <typename Model>
void carries_cycle(void* of, CarriesPorts* ports) {
  auto* model = static_cast<Model*>(of);
  model->enable = 1;
  model->clear = ports->clear;
  model->start = ports->start;
  model->pass_on = ports->pass_on;
  model->estimate = ports->estimate;
  model->exact = ports->exact;
  model->take = ports->take;
  model->beat = ports->beat;
  put(model->sums, ports->sums);
  put(model->added, ports->added);
  model->eval();
  ports->unsure = model->unsure;
  ports->exceeds = model->exceeds;
  ports->there = model->there;
  ports->there_beat = model->there_beat;
  get(model->digits, ports->digits);
  edge(model);
}

}  // namespace

#define MODEL(name)                            \
  void* name##_new() { return new V##name(); } \
  void name##_drop(void* model) { drop<V##name>(model); }

extern "C" {

MODEL(multiplier)
MODEL(radix_16)
MODEL(sum_16)
MODEL(radix_4)
MODEL(turned_residue)
MODEL(normalize)
MODEL(multiply)
MODEL(carry_unit)

#define ENGINE(name) \
  MODEL(name)        \
  void name##_cycle(void* of, EnginePorts* ports) { engine_cycle<V##name>(of, ports); }

#if WHOLE
ENGINE(engine_16)
ENGINE(engine_32)
ENGINE(engine_64)
#endif

#define CARRIES(name) \
  MODEL(name)         \
  void name##_cycle(void* of, CarriesPorts* ports) { carries_cycle<V##name>(of, ports); }

CARRIES(carries_16)
#if WHOLE
CARRIES(carries_64)
#endif

struct MultiplierPorts {
  uint8_t reset, in_valid, out_ready;
  uint8_t in_ready, out_valid, phase;
  uint32_t in_a[12], in_b[12], out_digits[12];
};

void multiplier_cycle(void* of, MultiplierPorts* ports) {
  auto* model = static_cast<Vmultiplier*>(of);
  model->reset = ports->reset;
  model->in_valid = ports->in_valid;
  model->out_ready = ports->out_ready;
  put(model->in_a, ports->in_a);
  put(model->in_b, ports->in_b);
  model->eval();
  ports->in_ready = model->in_ready;
  ports->out_valid = model->out_valid;
  ports->phase = model->phase;
  get(model->out_digits, ports->out_digits);
  edge(model);
}

#define BANK(processor, number)                                                \
  case number:                                                                 \
    return model->rootp                                                        \
        ->multiplier__DOT__##processor##__DOT__g_banks__BRA__##number##__KET____DOT__memory__DOT__words \
            [address];
#define BANKS(processor)                                                       \
  switch (bank) {                                                              \
    BANK(processor, 0) BANK(processor, 1) BANK(processor, 2) BANK(processor, 3)     \
    BANK(processor, 4) BANK(processor, 5) BANK(processor, 6) BANK(processor, 7)     \
    BANK(processor, 8) BANK(processor, 9) BANK(processor, 10) BANK(processor, 11)   \
    BANK(processor, 12) BANK(processor, 13) BANK(processor, 14) BANK(processor, 15) \
  }

uint64_t multiplier_word(const void* of, int processor, unsigned bank, unsigned address) {
  const auto* model = static_cast<const Vmultiplier*>(of);
  if (processor == 0) {
    BANKS(first)
  } else {
    BANKS(second)
  }
  return 0;
}

void radix_16_cycle(void* of, uint8_t inverse, uint8_t turned, const uint64_t* x, uint64_t* y) {
  auto* model = static_cast<Vradix_16*>(of);
  model->inverse = inverse;
  model->turned = turned;
  put(model->x, x);
  model->eval();
  get(model->y, y);
  edge(model);
}

void sum_16_cycle(void* of, const uint64_t* rows, uint64_t* sum) {
  auto* model = static_cast<Vsum_16*>(of);
  put(model->rows, rows);
  model->eval();
  get(model->sum, sum);
  edge(model);
}

void radix_4_cycle(void* of, uint8_t inverse, const uint64_t* x, uint32_t* y) {
  auto* model = static_cast<Vradix_4*>(of);
  model->enable = 1;
  model->inverse = inverse;
  put(model->x, x);
  model->eval();
  get(model->y, y);
  edge(model);
}

uint64_t turned_residue_cycle(void* of, uint8_t turn, uint8_t scale, const uint32_t* x) {
  auto* model = static_cast<Vturned_residue*>(of);
  model->enable = 1;
  model->turn = turn;
  model->scale = scale;
  put(model->x, x);
  model->eval();
  uint64_t residue = model->residue;
  edge(model);
  return residue;
}

uint64_t normalize_cycle(void* of, const uint64_t* x) {
  auto* model = static_cast<Vnormalize*>(of);
  model->enable = 1;
  put(model->x, x);
  model->eval();
  uint64_t residue = model->residue;
  edge(model);
  return residue;
}

uint64_t multiply_cycle(void* of, uint64_t a, uint64_t b) {
  auto* model = static_cast<Vmultiply*>(of);
  model->enable = 1;
  model->a = a;
  model->b = b;
  model->eval();
  uint64_t product = model->product;
  edge(model);
  return product;
}

void carry_unit_cycle(void* of, uint8_t clear, uint8_t take, uint8_t give, const uint64_t* sums,
                      uint32_t* digits) {
  auto* model = static_cast<Vcarry_unit*>(of);
  model->clear = clear;
  model->take = take;
  model->give = give;
  put(model->sums, sums);
  model->eval();
  get(model->digits, digits);
  edge(model);
}

}  // extern "C"
