package transcript

import (
	"cmp"
	"regexp"
	"strings"
)

// statusInText finds the HTTP status that an error message begins with; a
// longer number or word is none.
var statusInText = regexp.MustCompile(`API Error: (\d{3})(?:[^\pL\pN_]|\z)`)

// apiError reads an assistant entry that tells of a failed request by text.
func apiError(r *rawEntry, text string) *APIError {
	return &APIError{Class: errorClass(r, text), Status: errorStatus(r, text)}
}

// errorClass is the stated class, or, since Claude Code did not always state
// one, what the text says.
func errorClass(r *rawEntry, text string) string {
	if class := r.err.orEmpty(); class != "" {
		return cmp.Or(Clean(class), "unknown")
	}
	return classInText(text, r.apiError.is("max_output_tokens"))
}

// classInText tells the class of a failure by its text; tooLong says that it was
// stated that the response was.
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
		return strings.Clone(found[1]) // and not the whole text with it
	}
	return ""
}

// retry reads a system entry that tells of a request to be sent again: by the
// status of the answer, or by the code of what kept it from being answered,
// which several versions have put in several places.
func retry(r *rawEntry) *Retry {
	var f [3]rawValue
	r.err.pick([]string{"status", "cause", "connection"}, f[:])
	status, cause, connection := f[0], f[1], f[2]
	if status.isInteger() {
		return &Retry{Status: Clean(string(status))}
	}
	if !cause.isObject() {
		cause = r.cause
	}
	return &Retry{Status: cmp.Or(cause.code(), connection.code(), "unknown")}
}

// code returns the "code" of an object, if it says anything.
func (v rawValue) code() string {
	var f [1]rawValue
	if v.pick([]string{"code"}, f[:]); !f[0].truthy() {
		return ""
	}
	s, _ := f[0].scalar()
	return s
}

// joinText returns the texts of the blocks of type "text", a space between them.
func joinText(blocks []rawBlock) string {
	var texts []string
	for i := range blocks {
		if blocks[i].typ.is("text") {
			texts = append(texts, blocks[i].text.orEmpty())
		}
	}
	return strings.Join(texts, " ")
}
