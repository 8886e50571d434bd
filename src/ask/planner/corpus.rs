//! Plans of the shared question sets, printed for people and checkers; skips where the sets are absent.
