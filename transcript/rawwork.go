package transcript

// A rawWork is the "toolUseResult" of a user entry: the effect of a tool call.
type rawWork struct {
	typ, content                 rawValue // of an edit of a file
	patched                      bool     // of an edit of a file: it has a "structuredPatch"
	added, removed               uint64   // lines of the patch
	git, searches                rawValue
	shell, status, task, timeout rawValue // of background work
	taskType, workflow           rawValue // of background work of the tool Workflow
}

func (w *rawWork) read(c *cursor) {
	*w = rawWork{}
	for more := c.enter('{'); more; more = c.more('}') {
		switch string(c.key()) {
		case "type":
			w.typ = c.value()
		case "content":
			w.content = c.value()
		case "structuredPatch":
			w.patched = c.nextIs('[')
			w.added, w.removed = c.patch()
		case "gitOperation":
			w.git = c.value()
		case "searchCount":
			w.searches = c.value()
		case "backgroundTaskId":
			w.shell = c.value()
		case "status":
			w.status = c.value()
		case "taskId":
			w.task = c.value()
		case "timeoutMs":
			w.timeout = c.value()
		case "taskType":
			w.taskType = c.value()
		case "workflowName":
			w.workflow = c.value()
		default:
			c.value()
		}
	}
}

// patch skips a structured patch, and returns how many lines it adds and removes.
func (c *cursor) patch() (added, removed uint64) {
	for more := c.enter('['); more; more = c.more(']') {
		a, r := c.hunk()
		added, removed = added+a, removed+r
	}
	return added, removed
}

// hunk skips a hunk of a patch. The last of equal keys wins.
func (c *cursor) hunk() (added, removed uint64) {
	for more := c.enter('{'); more; more = c.more('}') {
		if string(c.key()) == "lines" {
			added, removed = c.hunkLines()
		} else {
			c.value()
		}
	}
	return added, removed
}

func (c *cursor) hunkLines() (added, removed uint64) {
	for more := c.enter('['); more; more = c.more(']') {
		switch c.value().firstByte() {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

// A rawInput is the input of a tool call, as far as it names the call's file or the
// skill to start. The second field of each pair is used by older versions or other
// tools.
type rawInput struct {
	file, notebook rawValue
	skill, command rawValue
}

func (i *rawInput) read(c *cursor) {
	*i = rawInput{}
	for more := c.enter('{'); more; more = c.more('}') {
		switch string(c.key()) {
		case "file_path":
			i.file = c.value()
		case "notebook_path":
			i.notebook = c.value()
		case "skill":
			i.skill = c.value()
		case "command":
			i.command = c.value()
		default:
			c.value()
		}
	}
}

// A rawAttachment is an "attachment": a queued prompt, or the run of a hook.
type rawAttachment struct {
	typ                                   rawValue
	mode, meta, origin, prompt            rawValue // of a queued prompt
	event, name, toolUse, process         rawValue // of a run
	command, duration, exitCode, blocking rawValue
}

func (a *rawAttachment) read(c *cursor) {
	*a = rawAttachment{}
	for more := c.enter('{'); more; more = c.more('}') {
		switch string(c.key()) {
		case "type":
			a.typ = c.value()
		case "commandMode":
			a.mode = c.value()
		case "isMeta":
			a.meta = c.value()
		case "origin":
			a.origin = c.value()
		case "prompt":
			a.prompt = c.value()
		case "hookEvent":
			a.event = c.value()
		case "hookName":
			a.name = c.value()
		case "toolUseID":
			a.toolUse = c.value()
		case "processId":
			a.process = c.value()
		case "command":
			a.command = c.value()
		case "durationMs":
			a.duration = c.value()
		case "exitCode":
			a.exitCode = c.value()
		case "blockingError":
			a.blocking = c.value()
		default:
			c.value()
		}
	}
}
