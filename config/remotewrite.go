package config

import (
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prometheus/common/config"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/internal/redact"
)

// A RemoteWrite is a server to send all metrics to, using Prometheus's remote-write
// protocol. Its keys are Prometheus's keys, except for the interval and the labels.
type RemoteWrite struct {
	// URL is the endpoint to send to.
	URL string `yaml:"url"`
	// Name identifies the endpoint in metrics and logs. The default is the host of
	// the URL, with its port if there is one.
	Name string `yaml:"name"`
	// ProtobufMessage selects the version of the protocol.
	ProtobufMessage ProtobufMessage `yaml:"protobuf_message"`
	// Interval is the time between two requests.
	Interval Duration `yaml:"interval"`
	// Timeout is the timeout of a request.
	Timeout Duration `yaml:"remote_timeout"`
	// Labels are added to every series, unless the series has a label of the same name.
	// Load adds job and instance, as a scrape would. Labels with an empty value are not
	// sent.
	Labels map[string]string `yaml:"labels"`
	// Headers are added to every request.
	Headers map[string]string `yaml:"headers"`
	// HTTP configures the client: basic_auth, authorization, oauth2, tls_config,
	// proxy_url and so on. Load makes its paths absolute. It must not enable redirects.
	HTTP config.HTTPClientConfig `yaml:",inline"`
}

// A ProtobufMessage is the message of a version of the remote-write protocol.
type ProtobufMessage string

// The messages of protocol versions 1 and 2.
const (
	WriteV1 ProtobufMessage = "prometheus.WriteRequest"
	WriteV2 ProtobufMessage = "io.prometheus.write.v2.Request"
)

// UnmarshalYAML sets the defaults before decoding.
func (r *RemoteWrite) UnmarshalYAML(unmarshal func(any) error) error {
	type remoteWrite RemoteWrite
	*r = RemoteWrite{
		ProtobufMessage: WriteV1,
		Interval:        Duration(15 * time.Second),
		Timeout:         Duration(30 * time.Second),
	}
	return unmarshal((*remoteWrite)(r))
}

// completeRemoteWrites sets the names and labels that are not configured, and resolves
// relative paths against the directory dir.
func completeRemoteWrites(all []RemoteWrite, dir string) {
	host, _ := os.Hostname() // empty if unknown
	for i := range all {
		r := &all[i]
		if to, err := url.Parse(r.URL); err == nil && r.Name == "" {
			r.Name = to.Host
		}
		labels := map[string]string{model.JobLabel: "ccwatchd", model.InstanceLabel: host}
		maps.Copy(labels, r.Labels)
		r.Labels = labels
		r.HTTP.SetDirectory(dir)
	}
}

func (c *Config) remoteWriteProblems() problems {
	var found problems
	names := make(map[string]bool)
	for i := range c.RemoteWrite {
		r, key := &c.RemoteWrite[i], "remote_write["+strconv.Itoa(i)+"]"
		found = append(found, r.problems(key)...)
		if r.Name != "" && names[r.Name] {
			// The name is not shown, as it may be part of an invalid URL.
			found.addKey(key, "duplicate name: give each endpoint a different name")
		}
		names[r.Name] = true
	}
	return found
}

func (r *RemoteWrite) problems(key string) problems {
	var found problems
	found = append(found, r.urlProblems(key)...)
	if strings.Contains(r.Name, "://") { // may contain a password
		found.addKey(key+".name", "expected a name, not a URL: it appears in metrics and logs")
	}
	if r.ProtobufMessage != WriteV1 && r.ProtobufMessage != WriteV2 {
		found.addKey(key+".protobuf_message", "expected one of %s and %s", WriteV1, WriteV2)
	}
	checkRange(&found, key+".interval", r.Interval, Duration(time.Second), Duration(time.Hour))
	checkRange(&found, key+".remote_timeout", r.Timeout, Duration(time.Second), Duration(time.Hour))
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		if reason := labelNameProblem(name); reason != "" && name != model.JobLabel && name != model.InstanceLabel {
			found.addKey(key+".labels", "invalid label name %s: %s", redact.Name(name), reason)
		} else if !utf8.ValidString(r.Labels[name]) {
			found.addKey(key+".labels."+name, "not valid UTF-8")
		}
	}
	if r.HTTP.FollowRedirects {
		found.addKey(key+".follow_redirects", "redirects are never followed: configure the final URL")
	}
	found = append(found, headerProblems(key+".headers", maps.Keys(r.Headers))...)
	var more problems
	if h := r.HTTP.HTTPHeaders; h != nil {
		more = headerProblems(key+".http_headers", maps.Keys(h.Headers))
	}
	if err := r.HTTP.Validate(); err != nil && len(more) == 0 { // Validate reports these headers, too
		more.addKey(key, "keys of authentication, TLS or the proxy conflict or are missing")
	}
	found = append(found, more...)
	return append(found, r.missingFiles(key)...)
}

// headerProblems returns a problem for every header that cannot be configured.
func headerProblems(key string, names iter.Seq[string]) problems {
	var found problems
	for _, name := range slices.Sorted(names) {
		if _, ok := config.ReservedHeaders[http.CanonicalHeaderKey(name)]; ok {
			found.addKey(key, "setting header %q is not allowed", name)
		}
	}
	return found
}

// urlProblems checks all URLs. It repeats none of them: they may contain passwords.
func (r *RemoteWrite) urlProblems(key string) problems {
	var found problems
	check := func(key, text string, schemes ...string) {
		if reason := urlProblem(text, schemes...); reason != "" {
			found.addKey(key, "%s", reason)
		}
	}
	checkProxy := func(key string, u config.URL) {
		if u.URL != nil && *u.URL != (url.URL{}) {
			check(key, u.String(), "http", "https", "socks5", "socks5h")
		}
	}
	check(key+".url", r.URL, "http", "https")
	checkProxy(key+".proxy_url", r.HTTP.ProxyURL)
	if o := r.HTTP.OAuth2; o != nil {
		if o.TokenURL != "" { // otherwise Validate reports it
			check(key+".oauth2.token_url", o.TokenURL, "http", "https")
		}
		checkProxy(key+".oauth2.proxy_url", o.ProxyURL)
	}
	return found
}

// urlProblem describes the mistake in a URL, "" if it is valid.
func urlProblem(text string, schemes ...string) string {
	to, err := url.Parse(text)
	switch {
	case text == "":
		return "missing"
	case err != nil:
		return "invalid URL"
	case !slices.Contains(schemes, to.Scheme):
		return "must begin with " + strings.Join(schemes, ":// or ") + "://"
	case to.Host == "":
		return "the URL has no host"
	case to.User == nil && strings.Contains(text, "@"): // as in http://ann:1/2@host, whose host is ann:1
		return "the URL has an @ after its host: write / as %2F, ? as %3F and # as %23 in a password, and @ as %40 elsewhere"
	}
	return ""
}

// missingFiles returns a problem for every file that does not exist.
func (r *RemoteWrite) missingFiles(key string) problems {
	files := map[string]string{
		"tls_config.ca_file":   r.HTTP.TLSConfig.CAFile,
		"tls_config.cert_file": r.HTTP.TLSConfig.CertFile,
		"tls_config.key_file":  r.HTTP.TLSConfig.KeyFile,
	}
	if a := r.HTTP.BasicAuth; a != nil {
		files["basic_auth.username_file"], files["basic_auth.password_file"] = a.UsernameFile, a.PasswordFile
	}
	if a := r.HTTP.Authorization; a != nil {
		files["authorization.credentials_file"] = a.CredentialsFile
	}
	if a := r.HTTP.OAuth2; a != nil {
		files["oauth2.client_secret_file"] = a.ClientSecretFile
		files["oauth2.tls_config.ca_file"], files["oauth2.tls_config.cert_file"] = a.TLSConfig.CAFile, a.TLSConfig.CertFile
		files["oauth2.tls_config.key_file"] = a.TLSConfig.KeyFile
	}
	if h := r.HTTP.HTTPHeaders; h != nil {
		for name, header := range h.Headers {
			for i, file := range header.Files {
				files["http_headers."+pathOf(name)+".files["+strconv.Itoa(i)+"]"] = file
			}
		}
	}
	var found problems
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name] == "" {
			continue
		}
		if _, err := os.Stat(files[name]); err != nil {
			found.addKey(key+"."+name, "%v", redact.Error(err)) // the name may be a misplaced password
		}
	}
	return found
}

// String returns the scheme, host and name, without any secret.
func (r *RemoteWrite) String() string {
	to, err := url.Parse(r.URL)
	if err != nil {
		return r.Name
	}
	server := to.Scheme + "://" + to.Host
	if r.Name == to.Host {
		return server
	}
	return fmt.Sprintf("%s (%s)", server, strings.TrimSpace(r.Name))
}
