package dev.varve.api.nativecall;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages that glibc and musl printed. */
class LoaderMessageTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "/c/libggml-base.so: failed to map segment from shared object | its folder does not"
                        + " allow programs (mount option noexec); set VARVE_CACHE to a folder on"
                        + " another file system",
                "/c/libggml-base.so: failed to map segment from shared object: Operation not"
                        + " permitted | its folder does not allow programs (mount option noexec);"
                        + " set VARVE_CACHE to a folder on another file system",
                "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by"
                        + " /c/libggml-base.so) | it needs glibc 2.38 or newer, and this system has"
                        + " an older one",
                "/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /c/x.so) | it"
                        + " needs libstdc++ with GLIBCXX 3.4.32 or newer, and this system has an"
                        + " older one",
                "libcudart.so.13: cannot open shared object file: No such file or directory | the"
                        + " library libcudart.so.13 is missing; install it, or set LD_LIBRARY_PATH",
                "failed to load /c/libggml-cuda.so: libcublas.so.13: cannot open shared object"
                        + " file: No such file or directory | the library libcublas.so.13 is"
                        + " missing; install it, or set LD_LIBRARY_PATH",
                "Error loading shared library libgomp.so.1: No such file or directory (needed by"
                        + " /c/x.so) | the library libgomp.so.1 is missing; install it, or set"
                        + " LD_LIBRARY_PATH",
                "/c/libggml-hip.so: undefined symbol: ggml_backend_x | the libraries that it uses"
                        + " are of another version: they have no ggml_backend_x",
                "/c/x.so: invalid ELF header | the file is damaged, or no library",
                "/c/x.so: file too short | the file is damaged, or no library",
                "/c/x.so: wrong ELF class: ELFCLASS32 | it was built for another processor",
                "/c/x.so: failed to map segment from shared object: Cannot allocate memory |"
                        + " /c/x.so: failed to map segment from shared object: Cannot allocate"
                        + " memory"
            })
    void messageIsExplained(String message, String expected) {
        assertEquals(expected, LoaderMessage.explain(message));
    }
}
