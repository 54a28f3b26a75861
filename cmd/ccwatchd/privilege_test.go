package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// touches are names of functions and methods that open or change files, start
// processes, or connect to somebody, of whatever package or type they are.
var touches = map[string]bool{
	"Open": true, "OpenFile": true, "OpenRoot": true, "OpenInRoot": true, "ReadFile": true, "DirFS": true, "TailFile": true,
	"Create": true, "CreateTemp": true, "WriteFile": true, "Mkdir": true, "MkdirAll": true, "MkdirTemp": true, "CopyFS": true,
	"Rename": true, "Remove": true, "RemoveAll": true, "Truncate": true, "Link": true, "Symlink": true,
	"Chmod": true, "Chown": true, "Lchown": true, "Chtimes": true,
	"StartProcess": true, "Dial": true, "DialTimeout": true, "DialContext": true, "NewClientFromConfig": true,
}

// touched are all places in the program that call something of such a name, with
// what they do it to. So nothing that the daemon does changes anything outside of
// checkpoint, transcripts are opened through a root, and nothing is run, or called
// save the servers that the configuration has everything sent to; only "ccwatchd
// service" writes units and asks the service manager, "ccwatchd demo" writes
// sessions of its own, and "ccwatchd dashboards" what goes to servers.
var touched = map[string]string{
	"cmd/ccwatchd/dashboards.go f.Chmod":                 "the next file for a server",
	"cmd/ccwatchd/dashboards.go os.CreateTemp":           "the same",
	"cmd/ccwatchd/dashboards.go os.MkdirAll":             "the directories that are named for them",
	"cmd/ccwatchd/dashboards.go os.ReadFile":             "what is there already",
	"cmd/ccwatchd/dashboards.go os.Remove":               "the same, if it could not be written",
	"cmd/ccwatchd/dashboards.go os.Rename":               "the same, as a whole",
	"internal/servicecmd/controller.go os/exec":          "service managers, and the tools that create users",
	"internal/servicecmd/controller.go os.ReadFile":      "a unit and the file with more arguments",
	"internal/servicecmd/darwin.go os/exec":              "the service manager",
	"internal/servicecmd/linux.go os.ReadFile":           "the name of the kernel",
	"internal/servicecmd/install.go os.MkdirAll":         "the directory of the configuration",
	"internal/servicecmd/uninstall.go os.ReadFile":       "the configuration that install has written",
	"internal/servicecmd/install.go os.WriteFile":        "the configuration, where there is none",
	"internal/servicecmd/uninstall.go checkpoint.Remove": "the state, with --purge",
	"internal/servicecmd/uninstall.go os.Remove":         "a unit, and a configuration that was not changed",
	"internal/demo/team.go os.MkdirTemp":                 "the directory of the demo",
	"internal/demo/team.go os.MkdirAll":                  "homes in it",
	"internal/demo/team.go os.RemoveAll":                 "the directory of the demo",
	"internal/demo/desk.go os.MkdirAll":                  "directories of made-up sessions",
	"internal/demo/desk.go os.OpenFile":                  "made-up sessions",
	"internal/demo/desk.go os.Remove":                    "made-up sessions that are old",
	"packaging/packaging.go files.ReadFile":              "a file in the program itself",
	"config/load.go os.ReadFile":                         "the configuration",
	"daemon/daemon.go checkpoint.Open":                   "the state",
	"follow/identify.go f.state.Open":                    "the state's record of a file",
	"follow/root.go os.OpenRoot":                         "the directory of a source",
	"follow/root.go tailer.Open":                         "a transcript",
	"state/step.go to.ledger.Open":                       "the ledger's record of a file",
	"push/client.go config.NewClientFromConfig":          "the servers of the configuration, if it has any",
	"tailer/open.go root.OpenFile":                       "a transcript, to read it",
	"tailer/live.go tail.TailFile":                       "a transcript that is open already",
	"watcher/walk.go os.Open":                            "a directory, for the names in it",
	"watcher/events.go fsnotify.Create":                  "an event",
	"watcher/events.go fsnotify.Remove":                  "an event",
	"watcher/events.go fsnotify.Rename":                  "an event",
	"watcher/source.go s.events.Remove":                  "a watch",
	"checkpoint/journal.go os.OpenFile":                  "the journal",
	"checkpoint/journal.go os.Remove":                    "a journal that could not be begun",
	"checkpoint/load.go os.ReadFile":                     "snapshot and journals",
	"checkpoint/load.go os.Remove":                       "what a crash has left",
	"checkpoint/load.go os.Rename":                       "what is damaged",
	"checkpoint/remove.go os.Remove":                     "the state, when the service goes for good",
	"checkpoint/snapshot.go os.CreateTemp":               "the next snapshot",
	"checkpoint/snapshot.go os.Open":                     "the directory of the state, to sync it",
	"checkpoint/snapshot.go os.Remove":                   "journals that are in the snapshot",
	"checkpoint/snapshot.go os.Rename":                   "the next snapshot",
	"checkpoint/version.go os.Open":                      "the beginning of a file of the state, for its version",
	"checkpoint/possession.go os.CreateTemp":             "a probe",
	"checkpoint/possession.go os.MkdirAll":               "the directory of the state",
	"checkpoint/possession.go os.ReadFile":               "the pid of who has it",
	"checkpoint/possession.go os.Remove":                 "the probe",
	"checkpoint/possession.go os.WriteFile":              "the pid",
}

// TestWhatTouchesFiles reads the program: see touched.
func TestWhatTouchesFiles(t *testing.T) {
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
		for _, i := range file.Imports {
			if i.Path.Value == `"os/exec"` {
				found[filepath.ToSlash(name)+" os/exec"] = true
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && touches[s.Sel.Name] {
				found[filepath.ToSlash(name)+" "+dotted(s)] = true
			}
			return true
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got, want := slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(touched))
	for _, place := range got {
		if _, ok := touched[place]; !ok {
			t.Errorf("%s: may it do that?", place)
		}
	}
	for _, place := range want {
		if !found[place] {
			t.Errorf("%s: is on the list, and not there", place)
		}
	}
}

// isTool reports whether a directory holds development tools, or what only those
// use of the code that writes files: no part of them is called by the program.
func isTool(dir string) bool {
	parent, name := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
	tools := []string{"compare", "corpus", "endtoend", "leaktest", "reference", "sbom", "torture", "transcripttest"}
	return parent == "internal" && slices.Contains(tools, name) || parent == "demo" && name == "history"
}

// isOtherModule reports whether a directory is a module of its own, of which
// nothing can get into the program.
func isOtherModule(dir, root string) bool {
	_, err := os.Lstat(filepath.Join(dir, "go.mod"))
	return err == nil && dir != root
}

// dotted returns a name with dots as it is written.
func dotted(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return dotted(e.X) + "." + e.Sel.Name
	default:
		return "?"
	}
}
