"""The OCI image, from scratch, by buildah: the program, the C library that it is linked with, and the certificates of authorities."""
import os, re, shutil, subprocess, tempfile

import archive
from plan import PACKAGING, ran, written

CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
# Who the program runs as, of no privileges; a number, so that orchestrators can see that it is not root.
USER = 65532


def image(release):
    """Builds refdesk-VERSION-linux-ARCH.oci.tar, which podman, docker and skopeo load."""
    arch = release.platform.oci
    out = release.made(f"refdesk-{release.version}-linux-{arch}.oci.tar")
    with tempfile.TemporaryDirectory() as context:
        laid_out(release, os.path.join(context, "rootfs"))
        os.makedirs(os.path.join(context, "data"))
        shutil.copy(os.path.join(PACKAGING, "oci", "Containerfile"), context)
        tag = f"{release.names['image']}:{release.version}"
        buildah("build", "--isolation", "chroot", "--format", "oci", "--arch", arch, "--os", "linux", "--timestamp", str(release.epoch),
                *labels(release), "--tag", tag, context)
        layout = os.path.join(context, "layout")
        buildah("push", "--quiet", tag, f"oci:{layout}:{tag}")
        buildah("rmi", tag)
        # buildah would write this tar with the moment of now.
        with open(out, "wb") as f:
            archive.tar(f, layout, "", release.epoch)
    return out


def buildah(*arguments):
    """Plain files instead of overlays: it works without a daemon and inside of containers."""
    ran("buildah", "--storage-driver", "vfs", *arguments)


def labels(release):
    named = {"title": "refdesk", "version": release.version, "source": release.cargo["repository"], "licenses": release.cargo["license"],
             "description": release.cargo["description"]}
    return [part for name, value in named.items() for part in ("--label", f"org.opencontainers.image.{name}={value}")]


def laid_out(release, root):
    """The files of the image."""
    program = release.staged("refdesk")
    put(program, root + "/usr/bin/refdesk")
    for path in runtime(program):
        put(os.path.realpath(path), root + path)
        put_copyright(path, root)
    put(CERTIFICATES, root + CERTIFICATES)
    for name in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"):
        put(release.staged(name), f"{root}/usr/share/doc/refdesk/{name}")
    written(f"{root}/etc/passwd", f"refdesk:x:{USER}:{USER}:refdesk:/data:/sbin/nologin\n")
    written(f"{root}/etc/group", f"refdesk:x:{USER}:\n")
    # Without it some resolvers ask DNS before the hosts file.
    written(f"{root}/etc/nsswitch.conf", "hosts: files dns\n")


def runtime(program):
    """The loader and the libraries of a binary, where its loader looks for them; those of resolving names are opened when they are needed."""
    listed = re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout)
    folder = os.path.dirname(next(path for path in listed if "libc.so" in path))
    late = [f"{folder}/{name}" for name in ("libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2")]
    return listed + [path for path in late if os.path.exists(path)]


def put(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)
    os.chmod(target, 0o755 if os.access(source, os.X_OK) else 0o644)


def put_copyright(library, root):
    """What is handed on comes with its licence."""
    for path in (library, os.path.realpath(library), library.removeprefix("/usr"), "/usr" + library):
        owner = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True).stdout.split(":")[0]
        if owner:
            put(f"/usr/share/doc/{owner}/copyright", f"{root}/usr/share/doc/{owner}/copyright")
            return
    raise SystemExit(f"no package owns {library}; build the image on Debian or Ubuntu, which name its licence")
