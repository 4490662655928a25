// The end of a model.

#pragma once

template <typename Model>
void drop(void* of) {
  auto* model = static_cast<Model*>(of);
  model->final();
#if !COVERAGE
  // Its counters are read when the process ends.
  delete model;
#endif
}
