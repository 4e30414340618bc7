//! Lists that distinguish commands, files and addresses from prose, sorted for the binary search.

/// Programs that begin common command lines.
const PROGRAMS: &[&str] = &[
    "apt",
    "apt-get",
    "awk",
    "bardo",
    "bash",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "cast",
    "cat",
    "cd",
    "chmod",
    "chown",
    "cmake",
    "conda",
    "cp",
    "crontab",
    "curl",
    "deno",
    "df",
    "diff",
    "dig",
    "dnf",
    "docker",
    "docker-compose",
    "du",
    "echo",
    "export",
    "find",
    "forge",
    "gcc",
    "gcloud",
    "gh",
    "git",
    "go",
    "gradle",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "helm",
    "java",
    "javac",
    "jq",
    "just",
    "kill",
    "kubectl",
    "ln",
    "ls",
    "make",
    "mkdir",
    "mv",
    "mvn",
    "mypy",
    "mysql",
    "nano",
    "ninja",
    "nix",
    "node",
    "npm",
    "npx",
    "openssl",
    "perl",
    "php",
    "ping",
    "pip",
    "pip3",
    "pipx",
    "pnpm",
    "poetry",
    "powershell",
    "psql",
    "pytest",
    "python",
    "python3",
    "rails",
    "redis-cli",
    "rm",
    "rsync",
    "ruby",
    "ruff",
    "rustc",
    "rustup",
    "scp",
    "sed",
    "sh",
    "solana",
    "source",
    "sqlite3",
    "ssh",
    "sudo",
    "svn",
    "systemctl",
    "tail",
    "tar",
    "tee",
    "terraform",
    "tmux",
    "touch",
    "unzip",
    "uv",
    "uvx",
    "vim",
    "wget",
    "xargs",
    "yarn",
    "yum",
    "zip",
];

/// Extensions of files that are named without a folder.
const EXTENSIONS: &[&str] = &[
    "bash", "bat", "c", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "doc", "docx", "env", "gif", "go",
    "gz", "h", "hpp", "html", "ini", "ipynb", "java", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt",
    "lock", "log", "lua", "md", "mp3", "mp4", "parquet", "pdf", "php", "png", "ppt", "pptx", "proto", "ps1",
    "py", "pyi", "rb", "redb", "rs", "rst", "scala", "sh", "sol", "sql", "sqlite", "svg", "swift", "tar",
    "tex", "toml", "ts", "tsv", "tsx", "txt", "vue", "wav", "webp", "xls", "xlsx", "xml", "yaml", "yml",
    "zip", "zsh",
];

/// Top-level domains of addresses without a scheme, without those that are also file extensions.
const TOP_LEVEL_DOMAINS: &[&str] = &[
    "ai", "app", "at", "au", "be", "biz", "blog", "br", "ca", "ch", "cloud", "cn", "co", "com", "cz", "de",
    "dev", "dk", "edu", "es", "eth", "eu", "exchange", "fi", "finance", "fr", "fyi", "gg", "gov", "ie", "in",
    "info", "int", "io", "it", "jp", "kr", "me", "mil", "mx", "net", "network", "nl", "no", "nz", "online",
    "org", "page", "pl", "pt", "ru", "se", "site", "so", "store", "tech", "tv", "tw", "uk", "us", "wiki",
    "world", "xyz", "za",
];

/// Whether a word is a program name.
pub(crate) fn is_program(word: &str) -> bool {
    PROGRAMS.binary_search(&word).is_ok()
}

/// Whether a word is a file extension.
pub(crate) fn is_extension(word: &str) -> bool {
    EXTENSIONS.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

/// Whether a word is a top-level domain.
pub(crate) fn is_top_level_domain(word: &str) -> bool {
    TOP_LEVEL_DOMAINS.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        for list in [PROGRAMS, EXTENSIONS, TOP_LEVEL_DOMAINS] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
