#!/bin/sh
# An installed reeve is usable from outside the tree: C, C++ and static programs build by pkg-config and run, the
# library shows what the header declares and nothing else, and the binaries are hardened.
# Usage: install.sh SOURCE_ROOT BUILD
# shellcheck disable=SC2317,SC2046,SC2086 # check calls by name; flags are split on purpose
set -eu
root=$1 build=$2
. "$root/tests/harness/tap.sh"

flags='-Wall -Wextra -Wpedantic -Werror'
destination=$scratch/root
DESTDIR=$destination meson install -C "$build" --no-rebuild --quiet
pc=$(find "$destination" -name reeve.pc)
libdir=$(dirname "$(dirname "$pc")")
prefix=$(dirname "$(dirname "$(find "$destination" -name reeve.h)")")
cp "$root/tests/install/user.c" "$scratch"
cd "$scratch"
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"

config() { pkg-config --define-variable=prefix="$prefix" "$@" reeve; }
builds_c() { cc -std=c11 $flags -o user-c user.c $(config --cflags --libs); }
builds_cxx() { c++ -std=c++20 $flags -Wno-missing-field-initializers -x c++ -o user-cxx user.c $(config --cflags --libs); }
builds_static() {
    cc -std=c11 $flags -o user-static user.c $(config --cflags) \
        $(config --static --libs | sed 's/-lreeve\b/-l:libreeve.a/')
}
header_is_plain() { # COMPILER STANDARD LANGUAGE
    echo '#include <reeve.h>' >header.c
    "$1" "-std=$2" $flags -fsyntax-only -x "$3" header.c $(config --cflags)
}
runs() { "./$1" "sqlite:$scratch/$1.db"; }
needs_no_libreeve() { ! readelf -d user-static | grep -F libreeve; }

declared() { sed -nE 's/^[a-z][^()]*[ *](reeve_[a-z_]+)\(.*/\1/p' "$prefix/include/reeve.h" | sort -u; }
typedefs() { sed -nE 's/^typedef [^()]*[ *](reeve_[a-z_]+)\(.*/\1/p' "$prefix/include/reeve.h" | sort -u; }
exported() { nm -D --defined-only "$libdir/libreeve.so" | awk '{ print $3 }' | sort -u; }
exports_the_header() {
    typedefs >names.typedef
    declared | grep -vxFf names.typedef >names.declared
    exported >names.exported
    [ -s names.exported ] && diff names.declared names.exported
}
archive_is_prefixed() {
    nm -g --defined-only "$libdir/libreeve.a" | awk 'NF == 3 { print $3 }' >archived
    [ -s archived ] && ! grep -vE '^(reeve|rv)_' archived
}
soname_is() { readelf -d "$libdir/libreeve.so" | grep -F "soname: [$1]"; }
is_pie() { readelf -h "$1" | grep -E 'Type: +DYN' && readelf -d "$1" | grep -E 'FLAGS_1.*PIE'; }
is_relro() { readelf -lW "$1" | grep GNU_RELRO && readelf -d "$1" | grep -E 'FLAGS.*NOW'; }
stack_is_plain() { readelf -lW "$1" | grep -E 'GNU_STACK.* RW '; }
uses() { nm -D --undefined-only "$1" | grep -E "$2"; }
knows_its_version() { prints "reeve $(config --modversion)" "$prefix/bin/reeve" --version; }

check "a C program builds by pkg-config" builds_c
check "it runs" runs user-c
check "a C++ program builds by pkg-config" builds_cxx
check "it runs" runs user-cxx
check "a program links the static library" builds_static
check "it does not need the shared one" needs_no_libreeve
check "it runs" runs user-static
check "the header is C99" header_is_plain cc c99 c
check "the header is C++11" header_is_plain c++ c++11 c++
check "the library exports what the header declares, and nothing else" exports_the_header
check "the archive's symbols are all reeve_ or rv_" archive_is_prefixed
check "the soname is that of the major version" soname_is libreeve.so.0
check "the installed program tells the version of reeve.pc" knows_its_version
check "the program is position-independent" is_pie "$prefix/bin/reeve"
for binary in "$prefix/bin/reeve" "$libdir/libreeve.so"; do
    name=$(basename "$binary")
    check "$name is bound at start and then read-only" is_relro "$binary"
    check "$name has no executable stack" stack_is_plain "$binary"
    check "$name has stack protectors" uses "$binary" __stack_chk_fail
    check "$name is fortified" uses "$binary" '__[a-z]+_chk(@|$)'
done
tap_end
