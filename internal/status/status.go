// Package status describes the state of a daemon as plain data. The daemon fills it in,
// the server sends it, and commands and the page show it.
package status

import (
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A Status is the state of the daemon for other programs: the JSON of /-/status.
type Status struct {
	Version string `json:"version"`
	PID     int    `json:"pid"`
	// User is the name of the user of the daemon, for local clients only: see Status.For.
	User string `json:"user,omitempty"`
	// Ready reports whether everything has been read once. Until then, Percent is the
	// share of the bytes read.
	Ready        bool         `json:"ready"`
	Percent      int          `json:"percent"`
	Files        int          `json:"files"`
	FilesTotal   int          `json:"files_total,omitempty"` // at the start; left out once ready
	Sessions     int          `json:"sessions"`
	Backlog      int64        `json:"backlog_bytes"`
	LastActivity time.Time    `json:"last_activity,omitzero"`
	Directories  []WatchedDir `json:"directories"`
	// Problems are conditions that make the counters incomplete or late, until they end.
	Problems  []string `json:"problems,omitempty"`
	LastError *Failure `json:"last_error,omitempty"`
	// FoldedLabels are the labels that reached their limit of values, so that some values
	// were replaced by other.
	FoldedLabels  []string `json:"folded_labels,omitempty"`
	PricesUpdated string   `json:"prices_updated,omitempty"` // the date of the built-in prices
	// UnknownFormat lists the names in the transcripts read by this process that this
	// version does not know.
	UnknownFormat []transcript.UnknownItem `json:"unknown_format,omitempty"`
	// LimitsRefused is nil if status lines may report usage limits, or the configuration
	// refuses them.
	LimitsRefused *LimitRefusal `json:"limits_refused,omitempty"`
}

// A LimitRefusal states that reports of usage limits are refused because the
// configuration does not allow them.
type LimitRefusal struct {
	Reason  string `json:"reason"`  // what the configuration must allow: it reads files of other users
	Reports int64  `json:"reports"` // refused since the start
}

// A Failure is an error that was logged.
type Failure struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// For returns the part of the status that the client of a request may see: everything
// if the request arrived at a loopback address, that is from this machine or through a
// proxy on it.
func (s Status) For(r *http.Request) Status {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && local.IP.IsLoopback() {
		return s
	}
	s.User = ""
	s.Directories = slices.Clone(s.Directories)
	for i := range s.Directories {
		s.Directories[i].UnreadableDir = ""
	}
	return s
}

// A Progress is the progress of reading the files present at the start.
type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
	Left              time.Duration // estimated; 0 if unknown
}

// Percent returns the share of the bytes read, from 0 to 100, and 0 while the total is
// unknown.
func (p Progress) Percent() int {
	if p.BytesTotal <= 0 {
		return 0
	}
	return int(min(100, max(0, 100*float64(p.Bytes)/float64(p.BytesTotal))))
}

// A Summary holds a few numbers of the daemon.
type Summary struct {
	Files         int       // transcripts present
	Sessions      int       // counted so far
	Backlog       int64     // unread bytes
	LastActivity  time.Time // of the newest line; zero if there is none
	Paused        bool      // the counters are paused: the state cannot be written
	FoldedLabels  []string  // as in Status
	PricesUpdated string    // the date of the built-in prices; empty without prices
}

// A WatchedDir is a directory whose transcripts are read, at any depth.
type WatchedDir struct {
	Path       string `json:"path"`
	Labels     int    `json:"labels"`               // number of configured labels
	Unreadable int    `json:"unreadable,omitempty"` // files and directories in it, or itself
	// SkippedLinks is the number of symbolic links in it that are not followed.
	SkippedLinks int `json:"skipped_links,omitempty"`
	// Archives is the number of compressed transcripts in it, which are not read.
	Archives int  `json:"compressed_files,omitempty"`
	Missing  bool `json:"missing,omitempty"` // it does not exist
	// UnreadableDir is the path of an unreadable directory in it, for local clients only:
	// see Status.For.
	UnreadableDir string `json:"unreadable_directory,omitempty"`
}
