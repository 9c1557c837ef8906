package dev.varve.api;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/**
 * Reasons of failed operations on files and sockets in words, without the names of Java classes.
 *
 * @since 0.1.0
 */
public final class FileErrors {
    private FileErrors() {}

    /** Returns the reason, such as "no such file", to follow the name of the file. */
    public static String reason(Throwable failure) {
        return switch (failure) {
            case UncheckedIOException e -> reason(e.getCause());
            case NoSuchFileException _ -> "no such file";
            case FileNotFoundException _ -> "no such file, or no permission to read it";
            case AccessDeniedException _ -> "permission denied";
            case NotDirectoryException _ -> "not a folder";
            case FileAlreadyExistsException _ -> "it exists already";
            case DirectoryNotEmptyException _ -> "the folder is not empty";
            case FileSystemException e when e.getReason() != null -> words(e.getReason());
            case CharacterCodingException _ -> "not text in UTF-8";
            case IOException e when e.getMessage() == null -> "input or output error";
            case SecurityException _ -> "permission denied";
            default -> failure.getMessage() == null ? "unknown error" : words(failure.getMessage());
        };
    }

    /** Replaces terse reasons of the operating system; others are kept. */
    private static String words(String reason) {
        return switch (reason) {
            case "Is a directory" -> "it is a folder";
            case "Not a directory" -> "a file is in the place of one of its folders";
            case "No such file or directory" -> "no such file";
            case "Permission denied" -> "permission denied";
            case "Operation not permitted" -> "the system does not permit it";
            case "Read-only file system" -> "the file system is read-only";
            case "No space left on device" -> "the disk is full";
            case "Disk quota exceeded" -> "the disk quota is used up";
            case "Too many open files" -> "too many open files (ulimit -n)";
            case "Connection refused" -> "no process listens at this address";
            case "Address already in use" -> "another process listens on this address";
            case "Cannot assign requested address" -> "this machine does not have this address";
            default -> reason;
        };
    }
}
