package tailer

// An ID tells files apart, whatever they are called: a renamed file keeps its ID, the file that replaces another under its name has its own.
// It is comparable and fit to be stored. It holds for as long as the file exists; afterwards file systems give the same numbers to new files,
// so that a remembered ID needs a [Mark] beside it.
type ID struct {
	Device uint64 // the file system; on Windows the serial number of the volume
	Inode  uint64 // the file on it; on Windows the low 64 bits of its file index
}
