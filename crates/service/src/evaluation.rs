//! From files to a run, and from a run to files.
