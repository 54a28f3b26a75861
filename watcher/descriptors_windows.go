package watcher

// spareDescriptors returns 0: Windows watches directories.
func spareDescriptors() int { return 0 }
