"""Tar and zip files that are the same bytes whenever they are made of the same files: sorted, of one moment, owned by root."""
import gzip, os, tarfile, zipfile, time


def files_below(folder):
    """Folders and files below a folder, sorted, with their paths inside of it."""
    for where, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(folders + files):
            path = os.path.join(where, name)
            yield path, os.path.relpath(path, folder)


def tarball(out, folder, prefix, epoch, level=9):
    """Writes a .tar.gz of a folder, below a prefix."""
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", level, raw, mtime=epoch) as packed:
        tar(packed, folder, prefix, epoch)
    return out


def tar(out, folder, prefix, epoch):
    """Writes a folder to a stream, below a prefix."""
    with tarfile.open(fileobj=out, mode="w") as tar:
        for path, inside in sorted(files_below(folder), key=lambda pair: pair[1]):
            info = tar.gettarinfo(path, os.path.join(prefix, inside))
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            info.mtime = epoch
            info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
            if info.isreg():
                with open(path, "rb") as f:
                    tar.addfile(info, f)
            else:
                tar.addfile(info)


def zipped(out, entries, epoch, level=9):
    """Writes a zip of (name, bytes, mode)."""
    # Zip knows no time before 1980.
    moment = time.gmtime(max(epoch, 315_532_800))[:6]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, data, mode in entries:
            info = zipfile.ZipInfo(name, moment)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100000 | mode) << 16
            info.create_system = 3
            archive.writestr(info, data)
    return out
