package transcript

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
)

// statusInText finds the HTTP status that an error message begins with; a
// longer number or word is none.
var statusInText = regexp.MustCompile(`API Error: (\d{3})(?:[^\pL\pN_]|\z)`)

// apiError reads an assistant entry that tells of a failed request by text.
func apiError(o object, text string) *APIError {
	return &APIError{Class: errorClass(o, text), Status: errorStatus(o, text)}
}

// errorClass is the stated class, or, since Claude Code did not always state
// one, what the text says.
func errorClass(o object, text string) string {
	if class := o.str("error"); class != "" {
		return cmp.Or(Clean(class), "unknown")
	}
	text = strings.ToLower(text)
	switch {
	case containsAny(text, "limit reached", "hit your", "rate limit", "429", "extra usage"):
		return "rate_limit"
	case containsAny(text, "api key", "/login", " 401", "authenticate"):
		return "authentication_failed"
	case containsAny(text, "credit balance"):
		return "billing_error"
	case containsAny(text, "prompt is too long", " 400"):
		return "invalid_request"
	case containsAny(text, "output token maximum"), o.is("apiError", "max_output_tokens"):
		return "max_output_tokens"
	case containsAny(text, " 529", " 500", "overloaded"):
		return "server_error"
	}
	return "unknown"
}

func errorStatus(o object, text string) string {
	if status, ok := parseScalar(o["apiErrorStatus"]); ok {
		return status
	}
	if found := statusInText.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// retry reads a system entry that tells of a request to be sent again: by the
// status of the answer, or by the code of what kept it from being answered,
// which several versions have put in several places.
func retry(o object) *Retry {
	failure := o.object("error")
	if status := failure["status"]; isInteger(status) {
		return &Retry{Status: Clean(string(status))}
	}
	cause := failure.object("cause")
	if cause == nil {
		cause = o.object("cause")
	}
	return &Retry{Status: cmp.Or(code(cause["code"]), code(failure.object("connection")["code"]), "unknown")}
}

func code(raw json.RawMessage) string {
	if !truthy(raw) {
		return ""
	}
	s, _ := parseScalar(raw)
	return s
}
