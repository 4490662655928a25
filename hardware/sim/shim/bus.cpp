// What Rust calls of the engine behind AXI4: one cycle of it.
//
// Outputs are those before the clock's edge; inputs are taken at it.

#include <cstdint>
#include <cstring>

#include "Vaxi_engine_16.h"
#include "drop.h"
#include "verilated.h"
#if WHOLE
#include "Vaxi_engine_32.h"
#include "Vaxi_engine_64.h"
#endif

namespace {

struct BusPorts {
  uint8_t aresetn, s_tvalid, s_tlast, m_tready;
  uint8_t awaddr, awvalid, wstrb, wvalid, bready, araddr, arvalid, rready;
  uint8_t s_tready, m_tvalid, m_tlast;
  uint8_t awready, wready, bresp, bvalid, arready, rresp, rvalid, irq;
  uint8_t s_tdata[32], m_tdata[32];
  uint32_t wdata, rdata;
};

template <typename Model>
void cycle(Model* model, BusPorts* ports) {
  model->aresetn = ports->aresetn;
  model->s_axis_tvalid = ports->s_tvalid;
  model->s_axis_tlast = ports->s_tlast;
  std::memcpy(&model->s_axis_tdata, ports->s_tdata, sizeof(ports->s_tdata));
  model->m_axis_tready = ports->m_tready;
  model->s_axi_awaddr = ports->awaddr;
  model->s_axi_awvalid = ports->awvalid;
  model->s_axi_wdata = ports->wdata;
  model->s_axi_wstrb = ports->wstrb;
  model->s_axi_wvalid = ports->wvalid;
  model->s_axi_bready = ports->bready;
  model->s_axi_araddr = ports->araddr;
  model->s_axi_arvalid = ports->arvalid;
  model->s_axi_rready = ports->rready;
  model->eval();
  ports->s_tready = model->s_axis_tready;
  ports->m_tvalid = model->m_axis_tvalid;
  ports->m_tlast = model->m_axis_tlast;
  std::memcpy(ports->m_tdata, &model->m_axis_tdata, sizeof(ports->m_tdata));
  ports->awready = model->s_axi_awready;
  ports->wready = model->s_axi_wready;
  ports->bresp = model->s_axi_bresp;
  ports->bvalid = model->s_axi_bvalid;
  ports->arready = model->s_axi_arready;
  ports->rdata = model->s_axi_rdata;
  ports->rresp = model->s_axi_rresp;
  ports->rvalid = model->s_axi_rvalid;
  ports->irq = model->irq;
  model->aclk = 1;
  model->eval();
  model->aclk = 0;
  model->eval();
}

}  // namespace

#define AXI_ENGINE(name)                             \
  void* name##_new() { return new V##name(); }       \
  void name##_drop(void* of) { drop<V##name>(of); }  \
  void name##_cycle(void* of, BusPorts* ports) { cycle(static_cast<V##name*>(of), ports); }

extern "C" {

AXI_ENGINE(axi_engine_16)
#if WHOLE
AXI_ENGINE(axi_engine_32)
AXI_ENGINE(axi_engine_64)
#endif

}  // extern "C"
