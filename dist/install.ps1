# Installs Backstory: downloads the archive for this system, verifies its checksum, and puts one program into a folder of the user.
# Nothing else is written, nothing needs an administrator, and no setting of the system is changed.
#
#   $env:BACKSTORY_BIN_DIR     another folder than %USERPROFILE%\.local\bin; hosts run the program by its path, so choose one without spaces
#   $env:BACKSTORY_RELEASES    another place than the release this script belongs to: https://…, file:///… or http://127.0.0.1…
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2

function Install-Backstory {
    $releases = if ($env:BACKSTORY_RELEASES) { $env:BACKSTORY_RELEASES } else { '@RELEASES@' }
    if ($releases -notmatch '^(https://|file:///|http://(127\.0\.0\.1|localhost):)') {
        throw "$releases is not an https address"
    }
    $folder = if ($env:BACKSTORY_BIN_DIR) { $env:BACKSTORY_BIN_DIR } else { Join-Path $env:USERPROFILE '.local\bin' }
    if ($folder -match '\s') {
        throw "hosts cannot run a program whose path has a space: set BACKSTORY_BIN_DIR to a folder without one, such as C:\Tools"
    }
    # There is one build: Windows on arm64 runs it, too.
    $target = 'x86_64-pc-windows-msvc'
    $archive = "backstory-$target.zip"
    $work = Join-Path ([IO.Path]::GetTempPath()) ("backstory-" + [Guid]::NewGuid())
    New-Item -ItemType Directory -Path $work | Out-Null
    try {
        [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
        $client = New-Object Net.WebClient
        Write-Output "downloading $releases/$archive"
        $client.DownloadFile("$releases/SHA256SUMS", (Join-Path $work 'SHA256SUMS'))
        $client.DownloadFile("$releases/$archive", (Join-Path $work $archive))

        $line = Get-Content (Join-Path $work 'SHA256SUMS') | Where-Object { ($_ -split '\s+')[1] -eq $archive }
        if (-not $line) { throw "SHA256SUMS does not name $archive" }
        $wanted = ($line -split '\s+')[0]
        $found = (Get-FileHash -Algorithm SHA256 (Join-Path $work $archive)).Hash
        if ($wanted -ne $found) { throw "the checksum of $archive is $found, not ${wanted}: nothing was installed" }

        Expand-Archive -Path (Join-Path $work $archive) -DestinationPath $work
        $program = Join-Path $work "backstory-$target\backstory.exe"
        $version = & $program -V
        if ($LASTEXITCODE -ne 0) { throw 'the program does not run on this system' }

        $place = Join-Path $folder 'backstory.exe'
        New-Item -ItemType Directory -Force -Path $folder | Out-Null
        if (Test-Path $place) {
            $there = & $place -V
            if ("$there" -notlike 'backstory *') { throw "$place is another program of that name, and was left alone" }
            # A program that is running cannot be replaced, but it can be moved aside.
            $aside = "$place.old"
            Remove-Item -Force $aside -ErrorAction SilentlyContinue
            Move-Item -Force $place $aside
        }
        Copy-Item $program $place
        Remove-Item -Force "$place.old" -ErrorAction SilentlyContinue

        Write-Output "installed  $version as $place"
        if (($env:Path -split ';') -contains $folder) {
            Write-Output 'next       backstory setup'
        } else {
            Write-Output "next       $place setup"
            Write-Output "           add $folder to your Path to run it by its name"
        }
    } finally {
        Remove-Item -Recurse -Force $work -ErrorAction SilentlyContinue
    }
}

# Called at the end, so that a script that was downloaded in part does nothing.
Install-Backstory
