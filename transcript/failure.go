package transcript

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
)

// statusInText matches the HTTP status in an error message, but no longer number or
// word.
var statusInText = regexp.MustCompile(`API Error: (\d{3})(?:[^\pL\pN_]|\z)`)

// apiError reads an assistant entry that reports a failed request.
func apiError(r *rawEntry, text string) *APIError {
	return &APIError{Class: errorClass(r, text), Status: errorStatus(r, text)}
}

// errorClass returns the stated class or, because not all releases of Claude Code state
// one, derives it from the text.
func errorClass(r *rawEntry, text string) string {
	if class := r.err.str(); class != "" {
		return cmp.Or(finerClass(class, r.errType), Clean(class), "unknown")
	}
	return classInText(text, r.apiError.is("max_output_tokens"))
}

// finerClass returns the class that the API stated, if Claude Code's class is vague and
// the API's class is known: since 2.1.324; "" before.
func finerClass(class string, typ rawValue) string {
	switch {
	case class != "unknown" && class != "server_error":
	case typ.is("invalid_request_error"):
		return "invalid_request"
	case typ.is("overloaded_error"):
		return "overloaded"
	}
	return ""
}

// classInText derives the class of a failure from its text. tooLong is whether the
// entry states that the response was too long.
func classInText(text string, tooLong bool) string {
	lower := []byte(strings.ToLower(text))
	switch {
	case containsAny(lower, "limit reached", "hit your", "rate limit", "429", "extra usage"):
		return "rate_limit"
	case containsAny(lower, "api key", "/login", " 401", "authenticate"):
		return "authentication_failed"
	case containsAny(lower, "credit balance"):
		return "billing_error"
	case containsAny(lower, "prompt is too long", " 400"):
		return "invalid_request"
	case containsAny(lower, "output token maximum"), tooLong:
		return "max_output_tokens"
	case containsAny(lower, " 529", " 500", "overloaded"):
		return "server_error"
	}
	return "unknown"
}

func errorStatus(r *rawEntry, text string) string {
	if status, ok := r.status.scalar(); ok {
		return status
	}
	if found := statusInText.FindStringSubmatch(text); found != nil {
		return strings.Clone(found[1]) // does not keep the text in memory
	}
	if isTimeout([]byte(text)) {
		return timeoutStatus
	}
	return ""
}

// timeoutStatus is the status of a request that the client gave up waiting for. Entries
// state it as a text only.
const timeoutStatus = "timeout"

func isTimeout(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(text, []byte("API Error: ")), []byte("Request timed out"))
}

// retryStatus reads a system entry that reports a retried request: the status of the
// response or, if there was none, the code of the cause, whose position depends on
// the version.
func retryStatus(r *rawEntry) string {
	if status := r.err.member("status"); status.isInteger() {
		return Clean(string(status))
	}
	cause := r.err.member("cause")
	if !cause.isObject() {
		cause = r.cause
	}
	if code := cmp.Or(cause.code(), r.err.member("connection").code()); code != "" {
		return code
	}
	if isTimeout([]byte(r.err.member("message").str())) {
		return timeoutStatus
	}
	return "unknown"
}

// code returns the "code" of an object, "" if it is not truthy.
func (v rawValue) code() (code string) {
	if value := v.member("code"); value.truthy() {
		code, _ = value.scalar()
	}
	return code
}

// joinText returns the texts of the blocks of type "text", separated by spaces.
func joinText(blocks []rawBlock) string {
	var texts []string
	for i := range blocks {
		if blocks[i].typ.is("text") {
			texts = append(texts, blocks[i].text.str())
		}
	}
	return strings.Join(texts, " ")
}
