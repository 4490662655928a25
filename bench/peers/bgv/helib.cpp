// HElib's side of `peers bgv`: reads one request a line and answers with milliseconds.
//
// Usage: driver M BITS COLUMNS THREADS. It makes keys of HElib's BGV for p = 2 and prints
// `ready m phi slots log2q log2qp security depth`, depth being how many squarings in a row the chain
// holds. Then it reads
//
//     and N                N products of fresh ciphertexts, each with relinearisation and its switch
//     second N             the same of ciphertexts that are products themselves
//     xor N                N sums
//     circuit FILE         a circuit in Bristol Fashion, gate by gate
//     add N | multiply N | compare N    HElib's own arithmetic on words of N bits
//
// and prints the milliseconds of one, or `wrong ...`. Every slot has inputs of its own, and every
// slot of every answer is compared with the clear one. It ends with its input.
#include <helib/helib.h>
#include <helib/binaryArith.h>
#include <helib/binaryCompare.h>
#include <NTL/BasicThreadPool.h>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>

using namespace helib;
using Clock = std::chrono::steady_clock;
using Slots = std::vector<long>;

static double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Party {
  Context& context;
  SecKey& secret;
  const PubKey& key;
  const EncryptedArray& array;
  std::mt19937_64 random{1};

  long slots() const { return array.size(); }
  Slots bits() {
    Slots values(slots());
    for (auto& value : values) value = random() & 1;
    return values;
  }
  Ctxt encrypt(const Slots& values) {
    Ctxt out(key);
    array.encrypt(out, key, values);
    return out;
  }
  bool holds(const Ctxt& bit, const Slots& expected) {
    Slots got;
    array.decrypt(bit, secret, got);
    return got == expected;
  }
};

static Slots both(const Slots& a, const Slots& b) {
  Slots out(a.size());
  for (size_t i = 0; i < a.size(); i++) out[i] = a[i] & b[i];
  return out;
}
static Slots either(const Slots& a, const Slots& b) {
  Slots out(a.size());
  for (size_t i = 0; i < a.size(); i++) out[i] = a[i] ^ b[i];
  return out;
}

// Products in a row: a bit is its own square, so every slot is to stay what it was.
static long depth(Party& party) {
  Slots bits = party.bits();
  Ctxt power = party.encrypt(bits);
  for (long done = 0;; done++) {
    power.multiplyBy(Ctxt(power));
    if (!power.isCorrect() || !party.holds(power, bits)) return done;
  }
}

static std::string gates(Party& party, const std::string& what, long count) {
  Slots a = party.bits(), b = party.bits();
  Ctxt x = party.encrypt(a), y = party.encrypt(b);
  if (what == "second") {
    Slots c = party.bits(), d = party.bits();
    x.multiplyBy(party.encrypt(c));
    y.multiplyBy(party.encrypt(d));
    a = both(a, c);
    b = both(b, d);
  }
  Slots expected = what == "xor" ? either(a, b) : both(a, b);
  double total = 0;
  for (long i = 0; i < count; i++) {
    Ctxt out = x;
    auto start = Clock::now();
    if (what == "xor") out += y;
    else out.multiplyBy(y);
    total += since(start);
    if (i == 0 && !party.holds(out, expected)) return "wrong " + what;
  }
  return std::to_string(total / count);
}

static std::string circuit(Party& party, const std::string& file) {
  std::ifstream in(file);
  size_t count, wires, words;
  if (!(in >> count >> wires >> words)) return "wrong file";
  size_t inputs = 0, outputs = 0, width;
  for (size_t i = 0; i < words; i++) in >> width, inputs += width;
  in >> words;
  for (size_t i = 0; i < words; i++) in >> width, outputs += width;
  std::vector<Slots> clear(wires);
  std::vector<std::unique_ptr<Ctxt>> secret(wires);
  for (size_t i = 0; i < inputs; i++) {
    clear[i] = party.bits();
    secret[i] = std::make_unique<Ctxt>(party.encrypt(clear[i]));
  }
  double total = 0;
  for (size_t g = 0; g < count; g++) {
    size_t takes, gives, a, b = 0, out;
    std::string kind;
    in >> takes >> gives >> a;
    if (takes == 2) in >> b;
    in >> out >> kind;
    auto start = Clock::now();
    if (kind == "EQ") {
      clear[out] = Slots(party.slots(), a);
      secret[out] = std::make_unique<Ctxt>(party.key);
      party.key.Encrypt(*secret[out], NTL::ZZX(long(a)));
      continue;
    }
    auto result = std::make_unique<Ctxt>(*secret[a]);
    if (kind == "XOR") *result += *secret[b], clear[out] = either(clear[a], clear[b]);
    else if (kind == "AND") result->multiplyBy(*secret[b]), clear[out] = both(clear[a], clear[b]);
    else if (kind == "INV") {
      result->addConstant(1L);
      clear[out] = clear[a];
      for (auto& value : clear[out]) value ^= 1;
    } else if (kind == "EQW") clear[out] = clear[a];
    else return "wrong gate " + kind;
    secret[out] = std::move(result);
    total += since(start);
  }
  double capacity = 1e9;
  for (size_t w = wires - outputs; w < wires; w++) {
    capacity = std::min(capacity, double(secret[w]->bitCapacity()));
    if (!party.holds(*secret[w], clear[w]))
      return "wrong output " + std::to_string(w) + " capacity " + std::to_string(capacity);
  }
  std::cerr << "capacity left " << capacity << "\n";
  return std::to_string(total);
}

static std::string words(Party& party, const std::string& what, long width) {
  std::vector<Slots> clear;
  auto number = [&](std::vector<uint64_t>& values) {
    NTL::Vec<Ctxt> bits;
    values.assign(party.slots(), 0);
    std::vector<Ctxt> list;
    for (long i = 0; i < width; i++) {
      Slots place = party.bits();
      for (long s = 0; s < party.slots(); s++) values[s] |= uint64_t(place[s]) << i;
      list.push_back(party.encrypt(place));
    }
    return list;
  };
  std::vector<uint64_t> a, b;
  std::vector<Ctxt> x = number(a), y = number(b);
  std::vector<Ctxt> out;
  uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
  std::vector<uint64_t> expected(party.slots());
  CtPtrs_vectorCt left(x), right(y);
  auto start = Clock::now();
  double total;
  if (what == "compare") {
    Ctxt greater(party.key), less(party.key);
    compareTwoNumbers(greater, less, left, right);
    total = since(start);
    out.push_back(greater);
    for (size_t s = 0; s < a.size(); s++) expected[s] = a[s] > b[s];
    mask = 1;
  } else {
    CtPtrs_vectorCt result(out);
    if (what == "add") addTwoNumbers(result, left, right, width);
    else multTwoNumbers(result, left, right, false, width);
    total = since(start);
    for (size_t s = 0; s < a.size(); s++) expected[s] = (what == "add" ? a[s] + b[s] : a[s] * b[s]) & mask;
  }
  std::vector<uint64_t> got(party.slots());
  for (size_t i = 0; i < out.size(); i++) {
    Slots place;
    party.array.decrypt(out[i], party.secret, place);
    for (long s = 0; s < party.slots(); s++) got[s] |= uint64_t(place[s]) << i;
  }
  for (size_t s = 0; s < a.size(); s++)
    if (got[s] != expected[s]) return "wrong " + what;
  return std::to_string(total);
}

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "driver M BITS COLUMNS THREADS\n";
    return 2;
  }
  NTL::SetNumThreads(std::stol(argv[4]));
  Context context = ContextBuilder<BGV>().m(std::stol(argv[1])).p(2).r(1).bits(std::stol(argv[2])).c(std::stol(argv[3])).build();
  SecKey secret(context);
  secret.GenSecKey();
  const PubKey& key = secret;
  Party party{context, secret, key, context.getEA()};
  double chain = context.logOfProduct(context.getCtxtPrimes()) / std::log(2.0);
  double special = context.logOfProduct(context.getSpecialPrimes()) / std::log(2.0);
  std::cout << "ready " << context.getM() << ' ' << context.getPhiM() << ' ' << party.slots() << ' ' << chain << ' '
            << chain + special << ' ' << context.securityLevel() << ' ' << depth(party) << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream request(line);
    std::string what, argument;
    request >> what >> argument;
    try {
      std::string answer;
      if (what == "circuit") answer = circuit(party, argument);
      else if (what == "and" || what == "second" || what == "xor") answer = gates(party, what, std::stol(argument));
      else if (what == "add" || what == "multiply" || what == "compare") answer = words(party, what, std::stol(argument));
      else answer = "wrong request";
      std::cout << answer << std::endl;
    } catch (const std::exception& error) {
      std::cout << "wrong " << error.what() << std::endl;
    }
  }
}
