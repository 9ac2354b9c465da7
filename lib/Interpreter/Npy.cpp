//===- Npy.cpp - NumPy array files
//------------------------------------------===//
//
// Part of the tilepipe project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilepipe/Interpreter/Check.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace tilepipe;

static constexpr StringRef kMagic("\x93NUMPY", 6);

/// The kind and size of an element type in a header: `f4`, `i8`, `b1`.
static std::string getDescription(Type type) {
  std::string bytes = std::to_string(getElementBytes(type));
  if (type.isInteger(1))
    return "b1";
  if (isa<FloatType>(type))
    return (type.isF16() || type.isF32() || type.isF64() ? "f" : "V") + bytes;
  return (type.isUnsignedInteger() ? "u" : "i") + bytes;
}

/// The text after `'key':` in the header of a file.
static StringRef getField(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return {};
  return header.drop_front(at + key.size() + 2).ltrim(" :");
}

static bool parseHeader(StringRef header, HostBuffer &buffer,
                        std::string &error) {
  StringRef description = getField(header, "descr");
  if (!description.consume_front("'")) {
    error = "structured arrays are not supported";
    return false;
  }
  description = description.take_until([](char c) { return c == '\''; });
  StringRef kind = description.ltrim("<|=");
  std::string expected = getDescription(buffer.elementType);
  // Integers of either sign have the same bits.
  bool sameInt = kind.size() > 1 && expected.size() > 1 &&
                 StringRef("iu").contains(kind[0]) &&
                 StringRef("iu").contains(expected[0]) &&
                 kind.drop_front() == StringRef(expected).drop_front();
  if (kind != expected && !sameInt) {
    error =
        ("holds elements '" + description + "', expected '" + expected + "'")
            .str();
    return false;
  }
  if (getField(header, "fortran_order").starts_with("True")) {
    error = "is in Fortran order";
    return false;
  }
  StringRef shape = getField(header, "shape");
  if (!shape.consume_front("(")) {
    error = "has no shape";
    return false;
  }
  shape = shape.take_until([](char c) { return c == ')'; });
  SmallVector<StringRef> parts;
  shape.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t extent;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, extent) || extent < 0) {
      error = "has a malformed shape";
      return false;
    }
    buffer.shape.push_back(extent);
  }
  return true;
}

bool tilepipe::readNpy(StringRef path, HostBuffer &buffer, std::string &error) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    error = ("cannot read '" + path + "': " + file.getError().message()).str();
    return false;
  }
  StringRef text = (*file)->getBuffer();
  auto fail = [&](const Twine &reason) {
    error = ("'" + path + "' " + reason).str();
    return false;
  };
  if (!text.starts_with(kMagic) || text.size() < 12)
    return fail("is not a .npy file");
  bool isLong = text[6] >= 2;
  size_t length = isLong ? llvm::support::endian::read32le(text.data() + 8)
                         : llvm::support::endian::read16le(text.data() + 8);
  size_t start = isLong ? 12 : 10;
  if (text.size() < start + length)
    return fail("is cut short");
  std::string reason;
  if (!parseHeader(text.substr(start, length), buffer, reason))
    return fail(reason);
  text = text.drop_front(start + length);
  uint64_t bytes = getElementBytes(buffer.elementType);
  for (int64_t extent : buffer.shape)
    if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes))
      return fail("has a shape larger than memory");
  if (text.size() < bytes)
    return fail("holds " + Twine(text.size()) +
                " bytes of data, its shape needs " + Twine(bytes));
  buffer.data.assign(text.begin(), text.begin() + bytes);
  return true;
}

bool tilepipe::writeNpy(StringRef path, const HostBuffer &buffer,
                        std::string &error) {
  std::string header = "{'descr': '<" + getDescription(buffer.elementType) +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : buffer.shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  // The data starts at a multiple of 64.
  header.append(63 - (kMagic.size() + 4 + header.size()) % 64, ' ');
  header += '\n';
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code) {
    error = ("cannot write '" + path + "': " + code.message()).str();
    return false;
  }
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  os << kMagic << '\x01' << '\x00' << StringRef(length, 2) << header
     << StringRef(buffer.data.data(), buffer.data.size());
  return true;
}
