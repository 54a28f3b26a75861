// Package config loads and validates the configuration. It also holds the rules
// that depend on nothing else: which directories contain transcripts, and the names
// of projects and commands in labels.
//
// Every setting has a default, so the file is optional and a key that it leaves out
// keeps its default. Load is strict: an unknown key, a value of the wrong type or
// out of range, and a second YAML document are errors. It reports all problems at
// once, each with the name of the file, the line and the key.
//
// A Config is plain data and does not follow the file or the environment. To reload,
// call Load again, and keep the old Config if it fails. Only Roots reads the file
// system, on every call, because directories come and go.
package config
