#!/usr/bin/env bash
# Makes packages for Debian (.deb) and for Fedora and its relatives (.rpm) from an archive with Java inside. Needs dpkg-deb
# and rpmbuild; both packages have the same bytes wherever they are made.
#
# usage: tools/release/packages/make.sh varve-VERSION-linux-x64.tar.gz FOLDER
#
# A package has the program in /usr/lib/varve with /usr/bin/varve, its manual pages and completions, the service varve,
# which does not start by itself, and its flags in /etc/varve/varve.conf.
set -euo pipefail
usage="usage: tools/release/packages/make.sh varve-VERSION-linux-x64.tar.gz FOLDER"
archive=$(realpath "${1:?$usage}")
mkdir -p "${2:?$usage}"
out=$(cd "$2" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$(basename "$archive" -linux-x64.tar.gz)
version=${version#varve-}
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree"/usr/{bin,lib,share} "$tree"/usr/lib/{systemd/system,sysusers.d} "$tree"/etc/varve
tar xzf "$archive" -C "$work"
mv "$work/varve-$version" "$tree/usr/lib/varve"
mv "$tree/usr/lib/varve/share"/* "$tree/usr/share/"
rmdir "$tree/usr/lib/varve/share"
gzip -9n "$tree"/usr/share/man/man1/*
ln -s ../lib/varve/bin/varve "$tree/usr/bin/varve"
mkdir -p "$tree/usr/share/doc/varve"
mv "$tree/usr/lib/varve"/{LICENSE,NOTICE} "$tree/usr/share/doc/varve/"
cp "$here/varve.conf" "$tree/etc/varve/varve.conf"
cp "$here/varve.sysusers" "$tree/usr/lib/sysusers.d/varve.conf"
sed -e 's#/opt/varve#/usr/lib/varve#g' \
  -e 's#^Environment=VARVE_FLAGS=.*#EnvironmentFile=-/etc/varve/varve.conf#' \
  -e 's#^DynamicUser=yes#User=varve#' \
  -e '/^#   copy an installation/,/^# 127\.0\.0\.1:8080/c\# Flags: /etc/varve/varve.conf. Start: systemctl enable --now varve' \
  "$tree/usr/lib/varve/systemd/varve.service" >"$tree/usr/lib/systemd/system/varve.service"
rm -r "$tree/usr/lib/varve/systemd"
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(tar tvzf "$archive" --full-time --utc "varve-$version/bin/varve" | awk '{print $4, $5}' |
  date -u -f - +%s)
find "$tree" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +

size=$(du -sk --apparent-size "$tree" | cut -f1)
mkdir -p "$work/deb"
cp -a "$tree" "$work/deb/root"
mkdir "$work/deb/root/DEBIAN"
sed -e "s/@VERSION@/$version/" -e "s/@SIZE@/$size/" "$here/control" >"$work/deb/root/DEBIAN/control"
install -m 755 "$here"/{postinst,prerm,postrm} "$work/deb/root/DEBIAN/"
echo /etc/varve/varve.conf >"$work/deb/root/DEBIAN/conffiles"
(cd "$work/deb/root" && find etc usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$work/deb/root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zgzip -z6 --build "$work/deb/root" "$out/varve_${version}_amd64.deb"

rpmbuild --quiet -bb --target x86_64 --define "_topdir $work/rpm" --define "_rpmdir $out" \
  --define "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" --define "varve_version $version" \
  --define "_binary_payload w6.gzdio" --define "varve_tree $tree" --define "varve_scripts $here" --define "_buildhost release" \
  --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" "$here/varve.spec"
ls -l "$out"/varve_"$version"_amd64.deb "$out"/varve-"$version"-1.x86_64.rpm
