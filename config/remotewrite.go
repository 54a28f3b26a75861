package config

import (
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prometheus/common/config"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/internal/redact"
)

// A RemoteWrite is a server that everything is sent to, by Prometheus's
// remote-write protocol. Its keys are those that Prometheus has for it, save for
// the interval and the labels.
type RemoteWrite struct {
	// URL is where to send.
	URL string `yaml:"url"`
	// Name tells it from others, in metrics and in the log. If it is left out it is
	// the host of the URL, with the port if there is one.
	Name string `yaml:"name"`
	// ProtobufMessage is the message of the protocol.
	ProtobufMessage ProtobufMessage `yaml:"protobuf_message"`
	// Interval is the time from one sending to the next.
	Interval Duration `yaml:"interval"`
	// Timeout is how long a request may take.
	Timeout Duration `yaml:"remote_timeout"`
	// Labels are added to every series that has none of that name. In a loaded
	// Config there are always job and instance, as a scrape would add them; what
	// is empty is not sent.
	Labels map[string]string `yaml:"labels"`
	// Headers are added to every request.
	Headers map[string]string `yaml:"headers"`
	// HTTP says how to get there and who sends: basic_auth, authorization, oauth2,
	// tls_config, proxy_url and so on. Paths in it are absolute in a loaded Config.
	// It cannot ask for redirects to be followed.
	HTTP config.HTTPClientConfig `yaml:",inline"`
}

// A ProtobufMessage is a message of the remote-write protocol.
type ProtobufMessage string

// The messages: protocol 1 and protocol 2.
const (
	WriteV1 ProtobufMessage = "prometheus.WriteRequest"
	WriteV2 ProtobufMessage = "io.prometheus.write.v2.Request"
)

// UnmarshalYAML begins with the defaults. It has this form, and not that with a
// node, since the other one loses that keys have to be known.
func (r *RemoteWrite) UnmarshalYAML(unmarshal func(any) error) error {
	type remoteWrite RemoteWrite
	*r = RemoteWrite{
		ProtobufMessage: WriteV1,
		Interval:        Duration(15 * time.Second),
		Timeout:         Duration(30 * time.Second),
	}
	return unmarshal((*remoteWrite)(r))
}

// completeRemoteWrites fills in what follows from elsewhere: names, labels, and
// the directory dir in front of relative paths.
func completeRemoteWrites(all []RemoteWrite, dir string) {
	for i := range all {
		r := &all[i]
		if to, err := url.Parse(r.URL); err == nil && r.Name == "" {
			r.Name = to.Host
		}
		labels := map[string]string{model.JobLabel: "ccwatchd", model.InstanceLabel: hostName()}
		maps.Copy(labels, r.Labels)
		r.Labels = labels
		r.HTTP.SetDirectory(dir)
	}
}

// hostName is what the machine calls itself; nothing if it does not say.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// directory is the absolute one that a file is in.
func directory(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Dir(path)
}

func (c *Config) remoteWriteProblems() problems {
	var found problems
	names := make(map[string]bool)
	for i := range c.RemoteWrite {
		r, key := &c.RemoteWrite[i], "remote_write["+strconv.Itoa(i)+"]"
		found = append(found, r.problems(key)...)
		if r.Name != "" && names[r.Name] {
			found.with(key, "another one has the same name; give each a name") // it may come from a URL that is wrong
		}
		names[r.Name] = true
	}
	return found
}

func (r *RemoteWrite) problems(key string) problems {
	var found problems
	found = append(found, r.urlProblems(key)...)
	if strings.Contains(r.Name, "://") { // and maybe a password
		found.with(key+".name", "expected a name, not a URL: it is shown in metrics and in the log")
	}
	if r.ProtobufMessage != WriteV1 && r.ProtobufMessage != WriteV2 {
		found.with(key+".protobuf_message", "expected one of %s and %s", WriteV1, WriteV2)
	}
	within(&found, key+".interval", r.Interval, Duration(time.Second), Duration(time.Hour))
	within(&found, key+".remote_timeout", r.Timeout, Duration(time.Second), Duration(time.Hour))
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		if reason := refuse(name); reason != "" && name != model.JobLabel && name != model.InstanceLabel {
			found.with(key+".labels", "the name %s %s", redact.Name(name), reason)
		} else if !utf8.ValidString(r.Labels[name]) {
			found.with(key+".labels."+name, "it is not UTF-8")
		}
	}
	if r.HTTP.FollowRedirects {
		found.with(key+".follow_redirects", "redirects are never followed: configure the final URL")
	}
	found = append(found, headerProblems(key+".headers", maps.Keys(r.Headers))...)
	var more problems
	if h := r.HTTP.HTTPHeaders; h != nil {
		more = headerProblems(key+".http_headers", maps.Keys(h.Headers))
	}
	if err := r.HTTP.Validate(); err != nil && len(more) == 0 { // it finds such a header too
		more.with(key, "%v", redact.Error(err))
	}
	found = append(found, more...)
	return append(found, r.missingFiles(key)...)
}

// headerProblems finds headers that others set.
func headerProblems(key string, names iter.Seq[string]) problems {
	var found problems
	for _, name := range slices.Sorted(names) {
		if _, ok := config.ReservedHeaders[http.CanonicalHeaderKey(name)]; ok {
			found.with(key, "%q cannot be set here", name)
		}
	}
	return found
}

// urlProblems looks at all URLs. It repeats none, since they may have passwords in them.
func (r *RemoteWrite) urlProblems(key string) problems {
	var found problems
	check := func(key, text string, schemes ...string) {
		if reason := refuseURL(text, schemes...); reason != "" {
			found.with(key, "%s", reason)
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
		if o.TokenURL != "" { // or else Validate finds it
			check(key+".oauth2.token_url", o.TokenURL, "http", "https")
		}
		checkProxy(key+".oauth2.proxy_url", o.ProxyURL)
	}
	return found
}

// refuseURL says why nothing can be sent to a URL, "" if it can.
func refuseURL(text string, schemes ...string) string {
	to, err := url.Parse(text)
	switch {
	case text == "":
		return "it is missing"
	case err != nil:
		return "it is no URL"
	case !slices.Contains(schemes, to.Scheme):
		return "it does not begin with " + strings.Join(schemes, ":// or ") + "://"
	case to.Host == "":
		return "it has no host"
	case to.User == nil && strings.Contains(text, "@"): // as in http://ann:1/2@host, with a host of ann:1
		return "it has an @ behind its host: write / as %2F, ? as %3F and # as %23 in a password, and @ as %40 elsewhere"
	}
	return ""
}

// missingFiles looks for the files with secrets and certificates.
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
		files["oauth2.client_secret_file"], files["oauth2.client_certificate_key_file"] = a.ClientSecretFile, a.ClientCertificateKeyFile
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
			found.with(key+"."+name, "%v", redact.Error(err)) // a path may be a password in the wrong place
		}
	}
	return found
}

// String names where it sends, without what may be secret.
func (r *RemoteWrite) String() string {
	to, err := url.Parse(r.URL)
	if err != nil {
		return r.Name
	}
	where := to.Scheme + "://" + to.Host
	if r.Name == to.Host {
		return where
	}
	return fmt.Sprintf("%s (%s)", where, strings.TrimSpace(r.Name))
}
