package dev.varve.platform.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** A request that got in, and its answer. */
record Exchange(
        HttpServletRequest request, HttpServletResponse response, Admission.Admitted admitted) {}
