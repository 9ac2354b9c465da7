// RUN: tile-opt %s --pipeline-planning -split-input-file -verify-diagnostics -o /dev/null

// A block has at least one thread.
// Field case DIAG-08.

func.func @thread_count(%unused: index) {
  // expected-error @below {{'tile.launch' op expects threads to be at least 1, got -32}}
  tile.launch (%b) in [4] threads = -32 {
  }
  return
}

// -----

func.func @no_thread(%unused: index) {
  // expected-error @below {{'tile.launch' op expects threads to be at least 1, got 0}}
  tile.launch (%b) in [4] threads = 0 {
  }
  return
}
