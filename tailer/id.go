package tailer

// An ID identifies a file independent of its name: a renamed file keeps its ID, and a
// file that replaces another has its own. It is comparable and can be stored. It is
// valid as long as the file exists; file systems reuse the numbers of deleted files, so
// a stored ID needs a [Fingerprint] beside it.
type ID struct {
	Device uint64 // the file system; on Windows the serial number of the volume
	Inode  uint64 // the file on it; on Windows the low 64 bits of its file index
}
