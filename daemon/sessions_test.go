package daemon

import "github.com/ccwatchd/ccwatchd/internal/transcripttest"

type (
	talk    = transcripttest.Session
	reply   = transcripttest.Reply
	call    = transcripttest.Call
	tree    = transcripttest.Tree
	options = transcripttest.Options
)

func generate(seed uint64, o options) tree { return transcripttest.Generate(seed, o) }

func said(session string, replies int) string { return transcripttest.Replies(session, replies) }

// unordered are the families and labels that depend, where there are copies, on which copy
// was read first.
var unordered = []string{"ccwatchd_duplicates_total", "ccwatchd_file_resets_total", "project", "agent", "stop_reason"}

// always are those that depend on when something was read in any case.
var always = []string{"ccwatchd_duplicates_total", "ccwatchd_file_resets_total"}
