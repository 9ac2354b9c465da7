//===- Locations.cpp - Bindings of source locations -----------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace mlir;
using namespace tilepipe::python;

/// The file location that a person means by `loc`: the first one inside.
static FileLineColRange getFile(Location loc) {
  FileLineColRange found;
  loc->walk([&](Location inner) {
    found = dyn_cast<FileLineColRange>(static_cast<LocationAttr>(inner));
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static LocationAttr attr(const PyLocation &self) { return self.loc; }

template <typename LocT> static bool isA(PyLocation &self) {
  return isa<LocT>(attr(self));
}

template <typename Fn> static auto filePart(Fn part, const char *name) {
  return [part, name](PyLocation &self) {
    FileLineColRange file = getFile(self.loc);
    if (!file)
      throw nb::value_error(
          (std::string("location has no file, and so no ") + name).c_str());
    return part(file);
  };
}

static std::vector<PyLocation> getLocations(PyLocation &self) {
  std::vector<PyLocation> result;
  if (auto fused = dyn_cast<FusedLoc>(attr(self)))
    for (Location loc : fused.getLocations())
      result.push_back({self.context, loc});
  return result;
}

static PyLocation callSite(PyLocation callee, std::vector<PyLocation> frames,
                           nb::handle context) {
  if (frames.empty())
    throw nb::value_error("No caller frames provided");
  Location caller = frames.back().loc;
  for (size_t i = frames.size() - 1; i-- > 0;)
    caller = CallSiteLoc::get(frames[i].loc, caller);
  return {callee.context, CallSiteLoc::get(callee.loc, caller)};
}

static void emit(PyLocation &self, const std::string &message,
                 DiagnosticSeverity severity) {
  DiagnosticCapture capture(self.context);
  self.context->get()->getDiagEngine().emit(self.loc, severity) << message;
  capture.deliver();
}

static void bindQueries(nb::class_<PyLocation> &cls) {
  cls.def("is_a_file", &isA<FileLineColRange>)
      .def("is_a_name", &isA<NameLoc>)
      .def("is_a_callsite", &isA<CallSiteLoc>)
      .def("is_a_fused", &isA<FusedLoc>)
      .def_prop_ro(
          "filename",
          filePart([](FileLineColRange f) { return f.getFilename().str(); },
                   "filename"))
      .def_prop_ro(
          "start_line",
          filePart([](FileLineColRange f) { return f.getStartLine(); }, "line"))
      .def_prop_ro(
          "start_col",
          filePart([](FileLineColRange f) { return f.getStartColumn(); },
                   "column"))
      .def_prop_ro(
          "end_line",
          filePart([](FileLineColRange f) { return f.getEndLine(); }, "line"))
      .def_prop_ro("end_col",
                   filePart([](FileLineColRange f) { return f.getEndColumn(); },
                            "column"))
      .def_prop_ro("has_file",
                   [](PyLocation &self) { return !!getFile(self.loc); })
      .def_prop_ro("locations", &getLocations)
      .def_prop_ro("name_str",
                   [](PyLocation &self) {
                     auto loc = dyn_cast<NameLoc>(attr(self));
                     if (!loc)
                       throw nb::value_error("not a name location");
                     return loc.getName().str();
                   })
      .def_prop_ro("child_loc",
                   [](PyLocation &self) {
                     auto loc = dyn_cast<NameLoc>(attr(self));
                     if (!loc)
                       throw nb::value_error("not a name location");
                     return PyLocation{self.context, loc.getChildLoc()};
                   })
      .def_prop_ro("callee",
                   [](PyLocation &self) {
                     auto loc = dyn_cast<CallSiteLoc>(attr(self));
                     if (!loc)
                       throw nb::value_error("not a call site location");
                     return PyLocation{self.context, loc.getCallee()};
                   })
      .def_prop_ro("caller", [](PyLocation &self) {
        auto loc = dyn_cast<CallSiteLoc>(attr(self));
        if (!loc)
          throw nb::value_error("not a call site location");
        return PyLocation{self.context, loc.getCaller()};
      });
}

static void bindMakers(nb::class_<PyLocation> &cls) {
  cls.def_static(
         "unknown",
         [](nb::object context) {
           ContextRef c = resolveContext(context);
           return PyLocation{c, UnknownLoc::get(c->get())};
         },
         "context"_a = nb::none())
      .def_static(
          "file",
          [](const std::string &filename, unsigned line, unsigned col,
             nb::object context) {
            ContextRef c = resolveContext(context);
            return PyLocation{
                c, FileLineColLoc::get(c->get(), filename, line, col)};
          },
          "filename"_a, "line"_a, "col"_a, "context"_a = nb::none())
      .def_static(
          "file",
          [](const std::string &filename, unsigned startLine, unsigned startCol,
             unsigned endLine, unsigned endCol, nb::object context) {
            ContextRef c = resolveContext(context);
            return PyLocation{c, FileLineColRange::get(c->get(), filename,
                                                       startLine, startCol,
                                                       endLine, endCol)};
          },
          "filename"_a, "start_line"_a, "start_col"_a, "end_line"_a,
          "end_col"_a, "context"_a = nb::none())
      .def_static(
          "name",
          [](const std::string &name, std::optional<PyLocation> child,
             nb::object context) {
            ContextRef c = child ? child->context : resolveContext(context);
            Location inner = child ? child->loc : UnknownLoc::get(c->get());
            return PyLocation{
                c, NameLoc::get(StringAttr::get(c->get(), name), inner)};
          },
          "name"_a, "childLoc"_a = nb::none(), "context"_a = nb::none())
      .def_static("callsite", &callSite, "callee"_a, "frames"_a,
                  "context"_a = nb::none())
      .def_static(
          "fused",
          [](std::vector<PyLocation> locations,
             std::optional<PyAttribute> metadata, nb::object context) {
            ContextRef c = locations.empty() ? resolveContext(context)
                                             : locations.front().context;
            SmallVector<Location> locs;
            for (PyLocation &loc : locations)
              locs.push_back(loc.loc);
            return PyLocation{
                c, FusedLoc::get(locs, metadata ? metadata->attr : Attribute(),
                                 c->get())};
          },
          "locations"_a, "metadata"_a = nb::none(), "context"_a = nb::none())
      .def_static(
          "from_attr",
          [](PyAttribute attribute, nb::object context) {
            auto loc = dyn_cast<LocationAttr>(attribute.attr);
            if (!loc)
              throw nb::value_error("the attribute is not a location");
            return PyLocation{attribute.context, loc};
          },
          "attribute"_a, "context"_a = nb::none());
}

void tilepipe::python::bindLocations(nb::module_ &m) {
  nb::class_<PyLocation> cls(m, "Location");
  bindMakers(cls);
  bindQueries(cls);
  cls.def_prop_ro_static(
         "current",
         [](nb::handle) {
           Frame *frame = currentFrame();
           if (!frame || !frame->location)
             throw nb::value_error("No current Location");
           return *frame->location;
         },
         nb::sig("def current(/) -> Location"))
      .def("__enter__",
           [](nb::object self) {
             auto &loc = nb::cast<PyLocation &>(self);
             pushFrame(self, loc.context, std::make_shared<PyLocation>(loc),
                       nb::object());
             return self;
           })
      .def(
          "__exit__",
          [](nb::handle self, nb::handle, nb::handle, nb::handle) {
            popFrame(self);
          },
          "type"_a.none(), "value"_a.none(), "traceback"_a.none())
      .def_prop_ro("context", [](PyLocation &self) { return self.context; })
      .def_prop_ro("attr",
                   [](PyLocation &self) {
                     return toPython(self.context, Attribute(attr(self)));
                   })
      .def(
          "emit_error",
          [](PyLocation &self, const std::string &message) {
            emit(self, message, DiagnosticSeverity::Error);
          },
          "message"_a)
      .def("__eq__", [](PyLocation &self,
                        PyLocation &other) { return self.loc == other.loc; })
      .def(
          "__eq__", [](PyLocation &, nb::object) { return false; },
          nb::arg().none())
      .def("__hash__",
           [](PyLocation &self) { return size_t(hash_value(self.loc)); })
      .def("__repr__",
           [](PyLocation &self) { return printToString(self.loc); });
}
