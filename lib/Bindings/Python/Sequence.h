//===- Sequence.h - Python sequences over IR lists --------------*- C++ -*-===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEPIPE_BINDINGS_PYTHON_SEQUENCE_H
#define TILEPIPE_BINDINGS_PYTHON_SEQUENCE_H

#include "Handles.h"

namespace tilepipe::python {

/// Gives `cls` the protocol of a read-only sequence. `SeqT` has `size()` and
/// `at(index)`, which looks at the IR each time, and a member `slice`: the
/// indices that a slice of the list picks, or nothing for the list itself.
template <typename SeqT>
void bindSequence(nb::class_<SeqT> &cls, const char *outOfRange) {
  cls.def("__len__", [](SeqT &self) { return self.size(); })
      .def("__getitem__",
           [outOfRange](SeqT &self, int64_t index) -> nb::object {
             int64_t size = self.size();
             if (index < 0)
               index += size;
             if (index < 0 || index >= size)
               throw nb::index_error(outOfRange);
             return self.at(index);
           })
      .def("__getitem__",
           [](SeqT &self, nb::slice slice) {
             auto [start, stop, step, count] = slice.compute(self.size());
             std::vector<int64_t> picked;
             for (size_t i = 0; i < count; ++i)
               picked.push_back(self.map(start + int64_t(i) * step));
             SeqT result = self;
             result.slice = std::move(picked);
             return result;
           })
      .def("__iter__",
           [](SeqT &self) {
             nb::list items;
             for (int64_t i = 0, e = self.size(); i < e; ++i)
               items.append(self.at(i));
             return nb::iter(items);
           })
      .def("__add__", [](SeqT &self, nb::object other) {
        nb::list items;
        for (int64_t i = 0, e = self.size(); i < e; ++i)
          items.append(self.at(i));
        for (nb::handle item : other)
          items.append(item);
        return items;
      });
}

/// What a list that can be sliced has in common.
struct Sliceable {
  std::optional<std::vector<int64_t>> slice;
  int64_t sizeOr(int64_t whole) const {
    return slice ? int64_t(slice->size()) : whole;
  }
  int64_t map(int64_t index) const { return slice ? (*slice)[index] : index; }
};

} // namespace tilepipe::python

#endif // TILEPIPE_BINDINGS_PYTHON_SEQUENCE_H
