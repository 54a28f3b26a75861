package main

import "os"

// peak would need the process to be still running.
func peak(*os.ProcessState) int64 { return 0 }
