package follow

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// label sets the labels of the entries of a batch, which depend on the configuration.
func (f *Follower) label(a *activeFile, b *batch) {
	agentType := ""
	if f.relabel == nil {
		f.labelProject(a, b)
	} else {
		agentType = f.state.Ledger().AgentType(a.id)
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		if e.Prompt != nil && e.Prompt.IsCommand() {
			e.Command = f.labels.Command(e.Prompt.Name)
		}
		f.labelAttribution(e)
		if f.relabel != nil {
			f.relabel(f.sources[a.name.Root].labels, a.name.Rel, agentType, e)
		}
	}
}

// labelProject sets the project of the first entry that states a directory since the
// file was opened. The following entries belong to the same project, whatever directory
// they state: a session remains in the project where it was started.
func (f *Follower) labelProject(a *activeFile, b *batch) {
	if known, _ := f.files.get(a.id); known.is(placed) {
		return
	}
	first := slices.IndexFunc(b.Entries, func(e transcript.Entry) bool { return e.CWD != "" })
	if first < 0 {
		return
	}
	e := &b.Entries[first]
	e.Project, e.HasProject = f.projectOf(f.startDir(a, b, e), a.owner), true
	f.files.mark(a.id, placed)
}

// startDir returns the directory where the session of a transcript was started. The
// transcript's own directory encodes the name of the start directory: startDir returns
// the first directory in the transcript that matches, or else the first directory. e is
// the first entry since the file was opened that states a directory. A sub-agent has
// the directory of its session.
//
// The decision uses the content of the transcripts at the time when the entry is read.
// Nearly always the entry alone decides, and no file is searched.
func (f *Follower) startDir(a *activeFile, b *batch, e *transcript.Entry) string {
	name := a.name
	encoded := transcript.EncodedDirs(filepath.Join(f.sources[name.Root].path, name.Rel))
	if dir := transcript.StartDir(encoded, e.CWD); dir != "" {
		return dir
	}
	isAgent := transcript.KindOf(name.Rel).IsAgent()
	if len(encoded) == 0 && !isAgent && a.offset == 0 { // e states the first directory: no need to open the file again
		return e.CWD
	}
	roots := f.newRoots()
	defer roots.close()
	if isAgent {
		session := watcher.File{Root: name.Root, Rel: transcript.SessionTranscript(name.Rel, e.SessionID)}
		if dir := f.searchStartDir(roots, session, encoded); dir != "" {
			return dir
		}
	}
	dir, decided := f.accepted.lookAhead(b, encoded)
	if !decided {
		dir = f.searchStartDir(roots, name, encoded)
	}
	return cmp.Or(dir, e.CWD)
}

var errFound = errors.New("found")

// searchBytes is the size of the beginning of a transcript that is searched for the
// start directory.
const searchBytes = 16 << 20

// searchStartDir searches the beginning of a transcript for its session's start
// directory. It returns "" if the transcript states no directory or cannot be read.
func (f *Follower) searchStartDir(roots roots, name watcher.File, encoded []string) string {
	if name.Rel == "" {
		return ""
	}
	file, err := roots.openFile(name)
	if f.atRest && errors.Is(err, fs.ErrNotExist) {
		file, err = f.openArchive(roots, &name)
	}
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // only read
	if f.starts == nil {
		f.starts = &startSearch{reader: tailer.NewBulkReader(f.maxLine), parser: transcript.NewParser()}
	}
	return f.starts.search(encoded, func() {
		if isArchive(name) {
			f.streamBeginning(file, name, f.starts.line)
			return
		}
		_, _ = f.starts.reader.Lines(file.File, min(file.info.Size(), searchBytes), tailer.Cursor{}, f.starts.line)
	})
}

// A startSearch finds the start directory of a session. Once it knows the first
// directory of a transcript, it decodes only lines that may state another directory: if
// no directory fits, as after a project was moved, it reads all lines.
type startSearch struct {
	reader *tailer.Reader
	parser *transcript.Parser
	buffer transcript.Buffer

	encoded []string
	dir     string // the first directory, or the directory that fits
	seen    []byte // the latest value of "cwd" that does not fit
}

// search calls read, which passes the lines of the transcript to line.
func (s *startSearch) search(encoded []string, read func()) string {
	s.encoded, s.dir, s.seen = encoded, "", s.seen[:0]
	read()
	return s.dir
}

func (s *startSearch) line(l tailer.Line) error {
	if s.dir != "" && !s.mayFit(l.Bytes) {
		return nil
	}
	s.buffer.Reset()
	s.parser.Parse(l.Bytes, l.Start == 0, &s.buffer)
	for i := range s.buffer.Entries {
		cwd := s.buffer.Entries[i].CWD
		if start := transcript.StartDir(s.encoded, cwd); start != "" {
			s.dir = start
			return errFound
		}
		s.dir = cmp.Or(s.dir, cwd)
	}
	if s.dir != "" && len(s.encoded) == 0 { // no directory can match
		return errFound
	}
	return nil
}

// mayFit reports whether a line has a value of "cwd", at any depth, that fits or must
// be decoded.
func (s *startSearch) mayFit(line []byte) bool {
	for {
		_, after, ok := bytes.Cut(line, []byte(`"cwd"`))
		if !ok {
			return false
		}
		line = after
		value, _, _ := bytes.Cut(bytes.TrimLeft(after, ": \t\""), []byte(`"`))
		if bytes.Equal(value, s.seen) {
			continue
		}
		if bytes.IndexByte(value, '\\') >= 0 || transcript.StartDir(s.encoded, string(value)) != "" {
			return true
		}
		s.seen = append(s.seen[:0], value...)
	}
}
