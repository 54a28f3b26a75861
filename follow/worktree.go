package follow

import (
	"encoding/binary"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

const (
	maxGitFile   = 4 << 10 // bytes of a ".git" file, and of a path
	maxGitDepth  = 16      // directories at and above the start directory that are searched
	maxCheckouts = 1 << 10 // answers kept by a process
	maxWorktrees = 4 << 10 // worktrees of an owner whose project is saved
	gitPatience  = time.Second
)

// projectOf returns the project of a start directory. A worktree of git has the project
// of its checkout, which the file ".git" in it states. After the worktree is deleted,
// it keeps the project.
func (f *Follower) projectOf(dir string, owner opendir.Owner) string {
	name := f.labels.Project(dir)
	switch found := f.checkouts.of(dir, owner); {
	case found.checkout != "":
		project := f.labels.Project(found.checkout)
		f.files.learnWorktree(f.state.Change, worktreeKey(dir, owner), worktreeRow{project: project, owner: uint64(owner)})
		return project
	case found.other:
		return name
	}
	if w, ok := f.files.worktrees.Get(worktreeKey(dir, owner)); ok && name != "" {
		return w.project
	}
	return name
}

// A worktreeRow is the project of a worktree.
type worktreeRow struct {
	project string
	learned int64 // in milliseconds since the epoch
	owner   uint64
}

func codeWorktreeRow(c *table.Coder, w *worktreeRow) {
	table.String(c, 1, &w.project)
	table.Int(c, 2, &w.learned)
	table.Uint(c, 3, &w.owner)
}

func worktreeKey(dir string, owner opendir.Owner) table.Hash {
	key := transcript.KeyOf("worktree", strconv.FormatUint(uint64(owner), 10), dir)
	return table.Hash(binary.BigEndian.Uint64(key[:]))
}

// learnWorktree saves the project of a worktree. The worktree of the same owner that
// was learned first makes room.
func (t *FileTable) learnWorktree(change func(func(*ledger.Ledger, int64)), key table.Hash, row worktreeRow) {
	if known, ok := t.worktrees.Get(key); ok && known.project == row.project {
		return
	}
	change(func(_ *ledger.Ledger, now int64) {
		owned, oldest, at := 0, table.Hash(0), int64(1<<62)
		for k, w := range t.worktrees.All() {
			if w.owner != row.owner {
				continue
			}
			if owned++; w.learned < at {
				oldest, at = k, w.learned
			}
		}
		if owned >= maxWorktrees {
			t.worktrees.Delete(oldest)
		}
		row.learned = now
		t.worktrees.Put(key, row)
	})
}

// checkouts finds the checkouts of git's worktrees.
//
// A transcript states the directory, so its owner chooses it. Only a ".git" that is a
// regular file of the same owner is read, if this process can read other users' files,
// and a link is followed only under the conditions of package opendir. A file system
// that does not answer costs one second, and nothing more is asked for its owner until
// it answers.
type checkouts struct {
	answers map[question]answer
	asked   sync.Map // owners whose question has no answer yet
}

type question struct {
	dir   string
	owner opendir.Owner
}

// An answer is what a directory is now.
type answer struct {
	checkout string // of the worktree that contains it, or empty
	other    bool   // it is in a repository that is no worktree
}

// of returns what a directory is; the zero answer if that is not known, as after the
// directory was removed.
func (c *checkouts) of(dir string, owner opendir.Owner) answer {
	q := question{dir, owner}
	if known, ok := c.answers[q]; ok || !mayOpen(dir) {
		return known
	}
	if _, busy := c.asked.LoadOrStore(owner, true); busy {
		return answer{}
	}
	answered := make(chan answer, 1)
	go func() {
		found := checkoutOf(dir, owner)
		c.asked.Delete(owner)
		answered <- found
	}()
	select {
	case found := <-answered:
		if c.answers == nil || len(c.answers) >= maxCheckouts {
			c.answers = make(map[question]answer)
		}
		c.answers[question{strings.Clone(dir), owner}] = found
		return found
	case <-time.After(gitPatience):
		return answer{}
	}
}

// mayOpen reports whether a directory can be opened without side effects: not a share
// of Windows, to which Windows would log in, and no directory of macOS for which macOS
// would ask the user.
func mayOpen(dir string) bool {
	if !filepath.IsAbs(dir) || len(dir) > maxGitFile || len(filepath.VolumeName(dir)) > len("C:") {
		return false
	}
	return runtime.GOOS != "darwin" || !privateOnMacOS.MatchString(dir)
}

var privateOnMacOS = regexp.MustCompile(`/(Desktop|Documents|Downloads|Library|Volumes)(/|$)`)

// checkoutOf finds the innermost ".git" at or above a directory. A checkout has a
// directory of that name.
func checkoutOf(dir string, owner opendir.Owner) answer {
	dir = filepath.Clean(dir)
	for range maxGitDepth {
		in, err := opendir.Open(filepath.VolumeName(dir)+string(filepath.Separator), dir)
		if err != nil {
			return answer{}
		}
		_, err = in.Lstat(".git")
		if err == nil {
			text := readGitFile(in, owner)
			_ = in.Close()
			checkout := checkoutIn(dir, text)
			return answer{checkout, checkout == ""}
		}
		_ = in.Close()
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return answer{}
}

// readGitFile returns the content of the file ".git" in a directory, "" if it is
// another kind of file, or another owner's.
func readGitFile(in *opendir.Dir, owner opendir.Owner) string {
	file, info, err := tailer.Open(in.Root, ".git")
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // only read
	if opendir.OwnerOf(info) != owner {
		return ""
	}
	content, _ := io.ReadAll(io.LimitReader(file, maxGitFile))
	return string(content)
}

// checkoutIn returns the checkout that the file ".git" in a worktree refers to: the
// directory with DIR/.git/worktrees/NAME. Of a bare repository it is the directory
// itself, without ".git" at its end, or the directory above a hidden one. "" if the
// file belongs to no worktree, but to a submodule.
func checkoutIn(dir, content string) string {
	gitDir, ok := strings.CutPrefix(strings.TrimRight(content, "\r\n"), "gitdir: ")
	if !ok || strings.ContainsAny(gitDir, "\x00\n") {
		return ""
	}
	if gitDir = filepath.FromSlash(gitDir); !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(dir, gitDir)
	}
	parent := filepath.Dir(filepath.Clean(gitDir))
	if filepath.Base(parent) != "worktrees" {
		return ""
	}
	repository := filepath.Dir(parent)
	// The repository of a submodule is below the repository of its checkout.
	modules := filepath.FromSlash("/.git/modules/")
	if before, module, ok := strings.Cut(repository, modules); ok {
		return filepath.Join(before, module)
	}
	if strings.HasPrefix(filepath.Base(repository), ".") {
		return filepath.Dir(repository)
	}
	return strings.TrimSuffix(repository, ".git")
}
