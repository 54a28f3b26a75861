package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// privileged are names of functions and methods, in any package or type, that open or
// change files, start processes, or connect to servers.
var privileged = map[string]bool{
	"Open": true, "OpenFile": true, "OpenRoot": true, "OpenInRoot": true, "ReadFile": true, "DirFS": true, "TailFile": true,
	"Create": true, "CreateTemp": true, "WriteFile": true, "Mkdir": true, "MkdirAll": true, "MkdirTemp": true, "CopyFS": true,
	"Rename": true, "Remove": true, "RemoveAll": true, "Truncate": true, "Link": true, "Symlink": true,
	"Chmod": true, "Chown": true, "Lchown": true, "Chtimes": true,
	"StartProcess": true, "Dial": true, "DialTimeout": true, "DialContext": true, "NewClientFromConfig": true,
}

// uses lists the calls of privileged functions by package, and by file in package main,
// with their objects. So the daemon changes files only in package checkpoint, opens
// transcripts through a root, runs no program, and connects only to the configured
// remote-write servers. Only "ccwatchd service" writes units and runs the service manager,
// only "ccwatchd demo" writes sessions, and only "ccwatchd dashboards" writes files for
// servers.
var uses = map[string]string{
	"checkpoint os.CreateTemp":                 "a snapshot, or a probe for write access",
	"checkpoint os.MkdirAll":                   "the state directory",
	"checkpoint os.Open":                       "the state directory, to sync it, and a state file, for its version",
	"checkpoint os.OpenFile":                   "a journal",
	"checkpoint os.ReadFile":                   "the state",
	"checkpoint os.Remove":                     "the state, old journals, temporary files",
	"checkpoint os.Rename":                     "a snapshot, and damaged files",
	"checkpoint os.WriteFile":                  "the pid",
	"cmd/ccwatchd/addresses.go os.ReadFile":    "the web configuration",
	"cmd/ccwatchd/dashboards.go f.Chmod":       "a file for a server",
	"cmd/ccwatchd/dashboards.go os.CreateTemp": "a file for a server",
	"cmd/ccwatchd/dashboards.go os.MkdirAll":   "its directory",
	"cmd/ccwatchd/dashboards.go os.ReadFile":   "an existing file",
	"cmd/ccwatchd/dashboards.go os.Remove":     "a temporary file",
	"cmd/ccwatchd/dashboards.go os.Rename":     "a file for a server",
	"config os.ReadFile":                       "the configuration",
	"daemon checkpoint.Open":                   "the state",
	"follow f.state.Open":                      "the state's record of a file",
	"follow os.OpenRoot":                       "the directory of a source",
	"follow tailer.Open":                       "a transcript",
	"internal/demo os.MkdirAll":                "directories of the demo",
	"internal/demo os.MkdirTemp":               "the directory of the demo",
	"internal/demo os.OpenFile":                "a session of the demo",
	"internal/demo os.Remove":                  "an old session of the demo",
	"internal/demo os.RemoveAll":               "the directory of the demo",
	"internal/servicecmd checkpoint.Remove":    "the state, with --purge",
	"internal/servicecmd os.MkdirAll":          "the directory of the configuration",
	"internal/servicecmd os.ReadFile":          "units, the configuration, and the name of the kernel",
	"internal/servicecmd os.Remove":            "a unit, and the configuration written by install, if unchanged",
	"internal/servicecmd os.WriteFile":         "the configuration, if missing",
	"internal/servicecmd os/exec":              "service managers, and programs that create users",
	"packaging files.ReadFile":                 "an embedded file",
	"push config.NewClientFromConfig":          "a configured server",
	"state to.ledger.Open":                     "the ledger's record of a file",
	"tailer root.OpenFile":                     "a transcript",
	"tailer tail.TailFile":                     "an open transcript",
	"watcher fsnotify.Create":                  "an event",
	"watcher fsnotify.Remove":                  "an event",
	"watcher fsnotify.Rename":                  "an event",
	"watcher os.Open":                          "a directory, to list it",
	"watcher n.events.Remove":                  "a watch",
}

// The source code has no privileged calls but those in uses.
func TestPrivilegedCalls(t *testing.T) {
	found := make(map[string]bool)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || isTool(path) || isOtherModule(path, root)):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if file.Name.Name != "main" {
			name = filepath.Dir(name)
		}
		name = filepath.ToSlash(name)
		for _, i := range file.Imports {
			if i.Path.Value == `"os/exec"` {
				found[name+" os/exec"] = true
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && privileged[s.Sel.Name] {
				found[name+" "+types.ExprString(s)] = true
			}
			return true
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for call := range found {
		if _, ok := uses[call]; !ok {
			t.Errorf("%s is not in the list", call)
		}
	}
	for call := range uses {
		if !found[call] {
			t.Errorf("%s is in the list, but not in the code", call)
		}
	}
}

// isTool reports whether a directory holds development tools, or packages whose privileged
// functions only those call.
func isTool(dir string) bool {
	parent, name := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
	tools := []string{"compare", "corpus", "endtoend", "leaktest", "reference", "sbom", "torture", "transcripttest"}
	return parent == "internal" && slices.Contains(tools, name) || parent == "demo" && name == "history"
}

// isOtherModule reports whether a directory is another module, which is not part of the
// program.
func isOtherModule(dir, root string) bool {
	_, err := os.Lstat(filepath.Join(dir, "go.mod"))
	return err == nil && dir != root
}
