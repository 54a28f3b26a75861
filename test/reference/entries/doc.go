// Package entries reads transcripts at rest for the references: which files are
// transcripts, and which JSON objects their lines contain. It imports no package of the
// program and decodes with encoding/json, so that a mistake in one of the two is not in
// the other. Speed and memory do not matter here.
package entries
