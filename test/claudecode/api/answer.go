package api

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// beforeCut is the pause before a connection is cut. Claude Code writes the lines of
// finished blocks in this time.
const beforeCut = 400 * time.Millisecond

// answer sends a message, and records the part that it sent.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, reply Reply, n int, served Served) {
	reply.Blocks = withIDs(reply.Blocks, n)
	usage := reply.Usage
	if usage == nil {
		usage = unique(n)
	}
	usage = whole(usage)
	start := reply.start(usage)
	served.ID = fmt.Sprintf("msg_01Scripted%014d", n)
	if reply.ID != nil {
		served.ID = *reply.ID
	}
	if reply.Model != "" {
		served.Model = reply.Model
	}
	message := reply.message(served.ID, served.Model, usage)
	served.Stop, served.Usage, served.Start = reply.stop(), TokensOf(usage), TokensOf(start)
	if search, ok := usage["server_tool_use"].(map[string]any); ok {
		served.Searches = number(search["web_search_requests"])
	}
	if !served.Stream {
		served.finish(reply.Blocks)
		served.Complete, served.Start = true, served.Usage
		s.write(served)
		sendJSON(w, http.StatusOK, message)
		return
	}
	events := reply.events(message, start)
	if at := slices.IndexFunc(events, func(e event) bool { return e.place == reply.Cut }); at >= 0 {
		events = events[:at+1]
	}
	served.Complete = events[len(events)-1].name == "message_stop"
	served.finish(finished(reply.Blocks, events))
	if reply.ErrorEvent != "" {
		events = append(events, event{name: "error", data: errorBody(reply.ErrorEvent, reply.Message, served.RequestID)})
	}
	s.write(served)
	reply.stream(r.Context(), w, events)
	if !served.Complete && reply.ErrorEvent == "" {
		pause(r.Context(), beforeCut)
		panic(http.ErrAbortHandler) // closes the connection without the end of the body
	}
}

// withIDs returns the blocks with an id for each tool call.
func withIDs(blocks []Block, n int) []Block {
	blocks = slices.Clone(blocks)
	for i, b := range blocks {
		if b.Type() == toolUse && b["id"] == nil {
			b = maps.Clone(b)
			b["id"] = fmt.Sprintf("toolu_01Scripted%010d%02d", n, i)
			blocks[i] = b
		}
	}
	return blocks
}

// finished returns the blocks whose end was sent.
func finished(blocks []Block, events []event) []Block {
	n := 0
	for _, e := range events {
		if e.name == "content_block_stop" {
			n++
		}
	}
	return blocks[:n]
}

func (s *Served) finish(blocks []Block) {
	for _, b := range blocks {
		s.Blocks = append(s.Blocks, b.Type())
		if b.Type() == toolUse {
			s.Tools = append(s.Tools, fmt.Sprint(b["name"]))
		}
	}
}

// stream sends events. The pause after the last block has a length of its own: the
// lines of some versions of Claude Code depend on it.
func (r Reply) stream(ctx context.Context, w http.ResponseWriter, events []event) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	last := fmt.Sprint("content_block_stop ", len(r.Blocks)-1)
	for _, e := range events {
		b, err := e.bytes()
		if err != nil {
			return
		}
		if _, err := w.Write(b); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
		if e.place == last {
			pause(ctx, r.EndPace)
		} else {
			pause(ctx, r.Pace)
		}
	}
}
