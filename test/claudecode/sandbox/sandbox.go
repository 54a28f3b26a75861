// Package sandbox runs this program again in namespaces of its own: it reaches nothing
// but its own loopback, sees its directory at the same path on every machine, and all
// processes that it leaves behind end with it. It needs Linux, and root or a kernel
// that permits user namespaces.
package sandbox

// A Box describes the files and the environment of a sandboxed process.
type Box struct {
	Dir   string            `json:"dir"`   // appears at At
	At    string            `json:"at"`    // an existing directory outside of /tmp
	Binds map[string]string `json:"binds"` // further directories, by their name in Dir
}
