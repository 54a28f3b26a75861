# Template: packaging/manifests inserts the version and the checksums.
class Ccwatchd < Formula
  desc "Prometheus exporter for Claude Code"
  homepage "https://github.com/ccwatchd/ccwatchd"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/ccwatchd/ccwatchd/releases/download/v@VERSION@/ccwatchd-@VERSION@.darwin-arm64.tar.gz"
      sha256 "@SHA256 darwin-arm64.tar.gz@"
    end
    on_intel do
      url "https://github.com/ccwatchd/ccwatchd/releases/download/v@VERSION@/ccwatchd-@VERSION@.darwin-amd64.tar.gz"
      sha256 "@SHA256 darwin-amd64.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/ccwatchd/ccwatchd/releases/download/v@VERSION@/ccwatchd-@VERSION@.linux-arm64.tar.gz"
      sha256 "@SHA256 linux-arm64.tar.gz@"
    end
    on_intel do
      url "https://github.com/ccwatchd/ccwatchd/releases/download/v@VERSION@/ccwatchd-@VERSION@.linux-amd64.tar.gz"
      sha256 "@SHA256 linux-amd64.tar.gz@"
    end
  end

  def install
    bin.install "ccwatchd"
    doc.install "README.md", "NOTICES"
    # An upgrade keeps a changed file.
    (etc/"ccwatchd").install "ccwatchd.example.yml" => "ccwatchd.yml"
  end

  service do
    run [opt_bin/"ccwatchd", "run", "--config.file=#{etc}/ccwatchd/ccwatchd.yml"]
    keep_alive successful_exit: false
    process_type :background
    log_path var/"log/ccwatchd.log"
    error_log_path var/"log/ccwatchd.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ccwatchd --version")
    (testpath/"projects").mkpath
    assert_match "ccwatchd_files", shell_output("#{bin}/ccwatchd once #{testpath}")
  end
end
