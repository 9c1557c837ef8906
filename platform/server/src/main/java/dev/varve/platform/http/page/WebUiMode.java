package dev.varve.platform.http.page;

/** Whether a server serves the web page. */
public enum WebUiMode {
    /** The page is at the root for browsers; programs get the same responses as without it. */
    SHOWN,
    /** No page: browsers get the same responses as programs. */
    LEFT_OUT
}
