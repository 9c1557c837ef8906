package dev.varve.platform.hub;

import dev.varve.api.VarveException;
import dev.varve.platform.log.ControlCharacters;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A file of a repository, as the hub lists it.
 *
 * @param path its path in the repository, with {@code /}
 * @param bytes its length
 * @param digest SHA-256 of the content, in 64 hexadecimal digits; for a file that Git itself
 *     stores, Git's object id in 40 digits
 */
record HubFile(String path, long bytes, String digest) {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

    private static final int MOST_CHARACTERS = 1024;

    /** 64 TiB: lengths of 100,000 files can be added without an overflow. */
    private static final long MOST_BYTES = 1L << 46;

    /**
     * @throws VarveException of kind CORRUPT_FILE if the path leaves its folder, or is too long, or
     *     the digest is none: both become names of files
     */
    HubFile {
        if (path.length() > MOST_CHARACTERS) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    "expected paths of at most "
                            + MOST_CHARACTERS
                            + " characters from the hub, found "
                            + path.length());
        }
        if (!isInside(path)) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    "the hub lists a file outside of its repository: "
                            + ControlCharacters.replace(path, '?'));
        }
        if (bytes < 0 || bytes > MOST_BYTES || !DIGEST.matcher(digest).matches()) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    path
                            + ": expected a length below 64 TiB and a digest of 40 or 64"
                            + " hexadecimal digits from the hub, found "
                            + bytes
                            + " and "
                            + ControlCharacters.replace(digest, '?'));
        }
    }

    private static boolean isInside(String path) {
        boolean printable = !ControlCharacters.areIn(path) && path.indexOf('\\') < 0;
        return printable
                && List.of(path.split("/", -1)).stream()
                        .noneMatch(name -> name.isEmpty() || name.equals(".") || name.equals(".."));
    }
}
