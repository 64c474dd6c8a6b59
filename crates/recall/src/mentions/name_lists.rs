//! Which names are known to be files, codes, or neither.

/// Endings that make a name a file's.
#[rustfmt::skip]
pub(super) const EXTENSIONS: &[&str] = &[
    "adoc", "asm", "astro", "avsc", "bash", "bat", "bzl", "c", "cc", "cfg", "cjs", "clj", "cljs", "cmake", "conf", "cpp", "cs",
    "csproj", "css", "csv", "cts", "cu", "cxx", "dart", "db", "diff", "dockerfile", "env", "erb", "erl", "ex", "exs", "fish", "fs",
    "go", "gql", "gradle", "graphql", "groovy", "h", "hbs", "hcl", "heex", "hpp", "hrl", "hs", "htm", "html", "hxx", "ini", "ipynb",
    "java", "jinja", "jl", "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less", "lock", "log", "lua", "m", "md",
    "mdx", "mjs", "mk", "ml", "mli", "mm", "mod", "mts", "nim", "nix", "patch", "php", "pl", "plist", "pm", "po", "prisma",
    "properties", "proto", "ps1", "py", "pyi", "pyx", "r", "rake", "rb", "rs", "rst", "sass", "sbt", "scala", "scss", "sh", "snap",
    "sol", "sql", "sqlite", "sum", "svelte", "svg", "swift", "tex", "tf", "tfvars", "toml", "ts", "tsv", "tsx", "txt", "vim", "vue",
    "wasm", "wat", "wgsl", "xml", "yaml", "yml", "zig", "zsh",
];

/// Files that are known by their whole name.
pub(super) const FILE_NAMES: &[&str] = &[
    ".dockerignore",
    ".editorconfig",
    ".env",
    ".eslintrc",
    ".gitattributes",
    ".gitignore",
    ".npmrc",
    ".nvmrc",
    ".prettierrc",
    "BUILD.bazel",
    "Brewfile",
    "CMakeLists.txt",
    "Containerfile",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "Makefile",
    "Procfile",
    "Rakefile",
    "Vagrantfile",
    "justfile",
];

/// Names that look like files or symbols and are neither, in lower case.
#[rustfmt::skip]
pub(super) const NAMES_OF_PRODUCTS: &[&str] = &[
    "alpine.js", "angular.js", "backbone.js", "bitbucket", "chart.js", "chatgpt", "circleci", "cloudflare", "d3.js", "deno.js",
    "devops", "discord.js", "docker.io", "dynamodb", "duckdb", "ember.js", "express.js", "fastapi", "github", "gitlab", "graphql",
    "grpc", "intellij", "ios", "ipad", "iphone", "javascript", "jetbrains", "jquery", "junit", "latex", "linkedin", "macos",
    "mariadb", "mongodb", "moment.js", "mysql", "neovim", "nest.js", "next.js", "nextjs", "node.js", "nodejs", "nosql", "numpy",
    "nuxt.js", "oauth", "openai", "openapi", "opencode", "openssl", "postgresql", "powershell", "pytorch", "react.js",
    "rocksdb", "socket.io", "solid.js", "sqlite", "stackoverflow", "svelte.js", "tailwindcss", "tensorflow", "three.js",
    "typescript", "vscode", "vue.js", "vuejs", "webassembly", "webgpu", "webrtc", "websocket", "wordpress", "youtube",
];

/// What the system calls its errors and signals.
#[rustfmt::skip]
pub(super) const ERROR_NAMES: &[&str] = &[
    "E2BIG", "EACCES", "EADDRINUSE", "EADDRNOTAVAIL", "EAGAIN", "EALREADY", "EBADF", "EBUSY", "ECHILD", "ECONNABORTED",
    "ECONNREFUSED", "ECONNRESET", "EDEADLK", "EDQUOT", "EEXIST", "EFAULT", "EFBIG", "EHOSTUNREACH", "EINPROGRESS", "EINTR",
    "EINVAL", "EIO", "EISDIR", "ELOOP", "EMFILE", "EMLINK", "EMSGSIZE", "ENAMETOOLONG", "ENETUNREACH", "ENFILE", "ENODEV",
    "ENOENT", "ENOEXEC", "ENOLCK", "ENOMEM", "ENOSPC", "ENOSYS", "ENOTCONN", "ENOTDIR", "ENOTEMPTY", "ENOTFOUND", "ENOTSUP",
    "ENXIO", "EPERM", "EPIPE", "EPROTO", "ERANGE", "EROFS", "ESPIPE", "ESRCH", "ESTALE", "ETIMEDOUT", "ETXTBSY", "EXDEV",
    "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGPIPE", "SIGSEGV", "SIGTERM", "SQLITE_BUSY", "SQLITE_CORRUPT",
    "SQLITE_FULL", "SQLITE_LOCKED",
];

/// Letters before a number that make the name of something else than an error: `UTF16`, `SHA256`, `X509`.
pub(super) const NON_ERROR_PREFIXES: &[&str] =
    &["AES", "CP", "GH", "H", "HTTP", "ISO", "KOI", "PR", "RFC", "RSA", "SHA", "UCS", "UTF", "V", "X"];
