// Package config reads the configuration, and holds the rules that follow from
// nothing else: where transcripts are, and what some labels are called.
//
// Nothing has to be configured. Default is complete without a file, and a file
// says only what is to be different: a key that it leaves out keeps its default.
// Load is strict about what the file does say. A key that does not exist, a
// value of another type or out of range, a second document: each is an error
// with the file's name, its line and the key, and all of them are told at once.
//
// A Config is plain data. It does not follow the file or the environment;
// whoever wants to reload calls Load again and takes the new one, or keeps the
// old one if there is an error. Only Roots looks at the file system, each time
// that it is called, because directories come and go.
package config
