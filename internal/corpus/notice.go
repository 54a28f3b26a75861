package corpus

// What is written around the conversation. Most of it counts for nothing.

var (
	listingSize  = quantiles{200, 700, 2000, 6000, 15000, 25000, 35000, 40000, 45000, 50000}
	reminderSize = quantiles{20, 40, 50, 60, 70, 90, 120, 300, 900, 2000}
	hookSize     = quantiles{2, 2, 3, 80, 900, 3400, 5600, 10000, 15000, 20000}
	trackedFiles = quantiles{0, 0, 0, 0, 4, 11, 16, 24, 60, 90}
)

// notice writes a system entry; write adds its keys.
func (t *thread) notice(subtype string, write func()) {
	t.begin()
	t.raw(`"type":"system","subtype":`).quote(subtype)
	write()
	t.raw(`,"isMeta":false`)
	t.open.unique = true
	t.stamp()
	t.end("system", subtype)
}

// attach writes an attachment; write adds its keys.
func (t *thread) attach(kind string, write func()) {
	t.begin()
	t.raw(`"attachment":{"type":`).quote(kind)
	write()
	t.raw(`},"type":"attachment"`)
	t.stamp()
	t.end("attachment", kind)
}

// attachText writes an attachment with a text.
func (t *thread) attachText(kind, key string, size *quantiles) {
	t.attach(kind, func() {
		t.raw(`,`)
		t.sized(key, &t.texts.prose, size)
	})
}

// progress writes how far something is; write adds the data.
func (t *thread) progress(subtype, id string, write func()) {
	t.begin()
	t.raw(`"type":"progress","data":{`)
	write()
	t.raw(`"type":`).quote(subtype).raw(`},"toolUseID":`).quote(id).raw(`,"parentToolUseID":`).quote(id)
	t.stamp()
	t.end("progress", subtype)
}

// hooked writes that a hook ran.
func (t *thread) hooked(event, id string) {
	switch {
	case !t.hooks:
	case t.version >= v(2, 1, 92):
		if t.chance(42) {
			t.attach("hook_success", func() {
				t.raw(`,"hookName":`).quote(event + ":Bash").raw(`,"toolUseID":`).quote(id).raw(`,"hookEvent":`).quote(event)
				t.raw(`,"content":"",`)
				t.sized("stdout", &t.texts.data, &hookSize)
				t.raw(`,"stderr":"","exitCode":0,`)
				t.sized("command", &t.texts.listing, &fieldSize)
				t.raw(`,"durationMs":`).num(t.between(8, 900))
			})
		}
	case t.version >= v(2, 1, 9) && t.version < v(2, 1, 87):
		t.progress("hook_progress", id, func() {
			t.raw(`"hookEvent":`).quote(event).raw(`,"hookName":`).quote(event + ":Bash").raw(`,`)
			t.sized("command", &t.texts.listing, &fieldSize)
			t.raw(`,`)
		})
	}
}

// toolProgress writes what is told of a call until it is done.
func (t *thread) toolProgress(c *call, done int64) {
	t.hooked("PreToolUse", c.id)
	if t.version >= v(2, 1, 9) && t.version <= v(2, 1, 71) {
		switch {
		case c.name == "Bash":
			t.bashProgress(c, done)
		case c.listed:
			t.mcpProgress(c, done)
		case c.name == "WebSearch":
			t.progress("query_update", c.id, func() { t.raw(`"query":"`).again(c.new).raw(`",`) })
			t.progress("search_results_received", c.id, func() { t.raw(`"resultCount":10,"query":"`).again(c.new).raw(`",`) })
		case c.name == "TaskOutput":
			t.progress("waiting_for_task", c.id, func() { t.raw(`"taskDescription":"`).again(c.new).raw(`","taskType":"local_bash",`) })
		}
	}
	t.hooked("PostToolUse", c.id)
}

var progressSize = quantiles{1, 1, 2, 20, 120, 700, 1500, 6000, 8000, 9000}

// bashProgress writes a line for every second.
func (t *thread) bashProgress(c *call, done int64) {
	start := t.now
	for second := 2; c.at+int64(second)*1000 < done && second < 16; second++ {
		t.now = max(start, c.at+int64(second)*1000)
		t.progress("bash_progress", "bash-progress-0", func() {
			from := t.sized("output", &t.texts.output, &progressSize)
			t.raw(`,`)
			t.copied("fullOutput", from)
			t.raw(`,"elapsedTimeSeconds":`).num(second).raw(`.5,"totalLines":`).num(second * 3).raw(`,"timeoutMs":120000,`)
		})
	}
}

func (t *thread) mcpProgress(c *call, done int64) {
	for _, status := range []string{"started", "completed"} {
		t.progress("mcp_progress", c.id, func() {
			t.raw(`"status":`).quote(status).raw(`,"serverName":"server","toolName":"tool",`)
		})
		t.now = max(t.now, done)
	}
}

// snapshot writes which files can be restored.
func (t *thread) snapshot(update bool) {
	id := t.uuid()
	if t.version >= v(2, 1, 217) && t.chance(20) {
		t.note("file-history-delta", func() {
			t.raw(`,"messageId":"`).bytes(id[:]).raw(`","trackingPath":`).quote(path(t.dice))
			t.raw(`,"backup":{"backupFileName":null,"version":1,"backupTime":`).time(t.now).raw(`},"timestamp":`).time(t.now)
		})
		return
	}
	t.note("file-history-snapshot", func() {
		t.raw(`,"messageId":"`).bytes(id[:]).raw(`","snapshot":{"messageId":"`).bytes(id[:]).raw(`","trackedFileBackups":{`)
		for i := range trackedFiles.of(t.dice) {
			if i > 0 {
				t.raw(`,`)
			}
			t.quote(path(t.dice)).raw(`:{"backupFileName":"`).raw(t.hex(16)).raw(`@v2","version":2,"backupTime":`).time(t.now).raw(`}`)
		}
		t.raw(`},"timestamp":`).time(t.now).raw(`},"isSnapshotUpdate":`).bool(update)
	})
}
