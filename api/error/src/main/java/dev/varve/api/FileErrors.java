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

/** Reasons of failed file operations in words, without the names of Java classes. */
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
            case FileSystemException e when e.getReason() != null -> e.getReason();
            case CharacterCodingException _ -> "not text in UTF-8";
            case IOException e when e.getMessage() == null -> "input or output error";
            case SecurityException _ -> "permission denied";
            default -> failure.getMessage() == null ? "unknown error" : failure.getMessage();
        };
    }
}
