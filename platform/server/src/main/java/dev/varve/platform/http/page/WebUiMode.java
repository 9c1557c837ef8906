package dev.varve.platform.http.page;

/** Whether a server shows browsers its page. */
public enum WebUiMode {
    /** At its root; programs get the same as without. */
    SHOWN,
    /** No page: browsers get what programs get. */
    LEFT_OUT
}
