package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
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

// uses lists the calls of privileged functions by file, with their objects. The list
// shows that the daemon changes files only in package checkpoint, opens transcripts
// through a root, runs no program, and connects only to the configured remote-write
// servers. Only "ccwatchd service" writes units and runs the service manager, and only
// "ccwatchd dashboards" writes files for servers.
var uses = map[string]string{
	"usage/api/history.go now.UTC().Truncate":                  "a time",
	"usage/api/times.go now.Add(-time.Duration(ago)).Truncate": "a time",
	"usage/session.go at.Truncate":                             "a time",
	"usage/api/limits.go t.UTC().Truncate":                     "a time",
	"usage/block.go now.Add(-blockMemory).Truncate":            "a time",
	"state/checkpoint/journal.go os.OpenFile":                  "a journal",
	"state/checkpoint/journal.go os.Remove":                    "a journal that could not be started",
	"state/checkpoint/store.go os.ReadFile":                    "a state file, once it is known to be regular",
	"state/checkpoint/store.go os.Remove":                      "temporary files left by a crash",
	"state/checkpoint/load.go os.Rename":                       "a damaged file",
	"state/checkpoint/lock.go os.CreateTemp":                   "a probe for write access",
	"state/checkpoint/lock.go os.MkdirAll":                     "the state directory",
	"state/checkpoint/lock.go os.ReadFile":                     "the pid of the owner",
	"state/checkpoint/lock.go os.Remove":                       "the probe",
	"state/checkpoint/lock.go os.WriteFile":                    "the pid",
	"state/checkpoint/remove.go os.Remove":                     "the state, with --purge",
	"state/checkpoint/snapshot.go os.CreateTemp":               "the next snapshot",
	"state/checkpoint/snapshot.go os.Open":                     "the state directory, to sync it",
	"state/checkpoint/snapshot.go os.Remove":                   "a failed snapshot, and old journals",
	"state/checkpoint/snapshot.go os.Rename":                   "the next snapshot",
	"state/checkpoint/format.go os.Open":                       "a state file, for its format",
	"cmd/ccwatchd/backfillwrite.go f.Chmod":                    "a file of samples",
	"internal/terminal/terminal.go terminal.Truncate":          "text",
	"cmd/ccwatchd/lastcost.go os.MkdirAll":                     "the cache directory of the user",
	"cmd/ccwatchd/lastcost.go os.ReadFile":                     "the cost that ccwatchd statusline showed last",
	"cmd/ccwatchd/lastcost.go os.WriteFile":                    "the same",
	"cmd/ccwatchd/lastcost.go os.Rename":                       "the same",
	"cmd/ccwatchd/dashboards.go f.Chmod":                       "a file for a server",
	"cmd/ccwatchd/dashboards.go os.CreateTemp":                 "a file for a server",
	"cmd/ccwatchd/dashboards.go os.MkdirAll":                   "its directory",
	"cmd/ccwatchd/dashboards.go os.ReadFile":                   "an existing file",
	"cmd/ccwatchd/dashboards.go os.Remove":                     "a temporary file",
	"cmd/ccwatchd/dashboards.go os.Rename":                     "a file for a server",
	"server/scheme.go os.ReadFile":                             "the configuration of the web server",
	"state/checkpoint/address.go os.ReadFile":                  "where a daemon serves, by its state directory",
	"state/checkpoint/address.go os.Remove":                    "the same, at the end",
	"config/load.go os.ReadFile":                               "the configuration",
	"daemon/daemon.go checkpoint.Open":                         "the state",
	"follow/identify.go l.Open":                                "the ledger's record of a file",
	"follow/root.go in.OpenRoot":                               "the directory of a transcript",
	"follow/root.go opendir.Open":                              "the directory of a source, or of a link below it",
	"follow/root.go target.OpenRoot":                           "a directory below such a link",
	"follow/root.go tailer.Open":                               "a transcript",
	"follow/worktree.go opendir.Open":                          "a directory that a transcript states, see checkouts",
	"follow/worktree.go tailer.Open":                           "the file .git in it, which belongs to the owner of the transcript",
	"usage/web/open.go t.Open":                                 "whether a table is shown",
	"usage/web/limits.go section.Toggle.Open":                  "the same",
	"usage/top/view.go now.Sub(v.received).Truncate":           "a duration",
	"usage/backfill/options.go o.Since.Truncate":               "a time",
	"usage/backfill/options.go until.Truncate":                 "a time",
	"cmd/ccwatchd/backfillwrite.go os.OpenFile":                "the file to write",
	"cmd/ccwatchd/backfillwrite.go os.Remove":                  "the file that could not be written",
	"cmd/ccwatchd/backfill.go os.WriteFile":                    "the marker of a finished backfill",
	"usage/step.go t.Add(local).Truncate":                      "a time",
	"usage/step.go t.Truncate":                                 "a time",
	"internal/servicecmd/controller.go os.ReadFile":            "a unit, and the file with more arguments",
	"internal/servicecmd/controller.go os.Chmod":               "a unit",
	"internal/servicecmd/controller.go os/exec":                "launchctl, and programs that create and remove users",
	"internal/servicecmd/install.go os.MkdirAll":               "the directory of the configuration",
	"internal/servicecmd/install.go os.WriteFile":              "the configuration, if missing",
	"internal/servicecmd/linux.go os.ReadFile":                 "the name of the kernel",
	"internal/servicecmd/uninstall.go checkpoint.Remove":       "the state, with --purge",
	"internal/servicecmd/uninstall.go os.ReadFile":             "the configuration written by install",
	"internal/servicecmd/uninstall.go os.Remove":               "a unit, and the configuration written by install, if unchanged",
	"packaging/packaging.go files.ReadFile":                    "an embedded file",
	"push/client.go config.NewClientFromConfig":                "a configured server",
	"internal/registry/registry.go opendir.Open":               "the directory of the configuration of Claude Code",
	"internal/registry/registry.go root.Open":                  "the directory of registered sessions, to list it",
	"internal/registry/registry.go root.OpenRoot":              "the directory of registered sessions",
	"internal/registry/registry.go tailer.Open":                "a registration",
	"internal/registry/host_linux.go os.ReadFile":              "the id of the machine, and the start of a process",
	"tailer/nxtail.go tail.TailFile":                           "an open transcript",
	"tailer/open.go root.OpenFile":                             "a transcript",
	"watcher/events.go fsnotify.Create":                        "an event",
	"watcher/events.go fsnotify.Remove":                        "an event",
	"watcher/events.go fsnotify.Rename":                        "an event",
	"config/match.go opendir.Open":                             "a directory that a pattern matches, to identify it",
	"internal/opendir/os_linux.go dir.OpenFile":                "a link, to read its target",
	"internal/opendir/os_unix.go os.OpenRoot":                  "a directory whose path the configuration names",
	"internal/opendir/os_windows.go os.OpenRoot":               "the same",
	"internal/opendir/resolve.go r.top().OpenRoot":             "the next directory of a path",
	"watcher/roots.go opendir.Open":                            "a source, or the target of a link below it",
	"watcher/os_unix.go root.OpenFile":                         "a directory, to list it",
	"watcher/os_windows.go root.Open":                          "a directory, to list it",

	"internal/loopback/loopback.go dialer.DialContext":           "the server of a client",
	"internal/statusclient/statusclient.go loopback.DialContext": "a daemon",
	"push/client.go loopback.DialContext":                        "a configured server",
}

// All privileged calls in the source code are in uses.
func TestPrivilegedCalls(t *testing.T) {
	found := make(map[string]bool)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || isTool(path, root) || isOtherModule(path, root)):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
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

// isTool reports whether a directory holds development tools or the demo, which are not
// part of the program.
func isTool(dir, root string) bool {
	return dir == filepath.Join(root, "test") || dir == filepath.Join(root, "cmd", "ccwatchd-demo")
}

// isOtherModule reports whether a directory is another module, which is not part of the
// program.
func isOtherModule(dir, root string) bool {
	_, err := os.Lstat(filepath.Join(dir, "go.mod"))
	return err == nil && dir != root
}
