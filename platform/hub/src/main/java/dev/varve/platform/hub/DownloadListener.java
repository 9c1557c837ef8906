package dev.varve.platform.hub;

/** Receives the progress of downloads, on the thread that downloads. */
public interface DownloadListener {
    /**
     * Called after each received piece.
     *
     * @param file name of the current file
     * @param doneBytes bytes of all files of the model that are on disk
     * @param totalBytes bytes of all files, 0 if the server does not report them
     */
    void progress(String file, long doneBytes, long totalBytes);

    /** Reports an event such as a retry, as one line for the user. */
    void note(String text);
}
