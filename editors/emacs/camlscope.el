;;; camlscope.el --- Memory profiles of OCaml programs  -*- lexical-binding: t; -*-

;; Author: The camlscope authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: tools, languages, processes
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Shows which lines of an OCaml program allocate memory.  The figures
;; come from a trace that the program wrote with memtrace, or from a
;; Spacetime profile.  The command line `camlscope' reads it.
;;
;;   M-x camlscope           lists allocation sites.  RET opens the
;;                           source, and `next-error' walks the sites.
;;   M-x camlscope-annotate  shows the memory of each line in the left
;;                           margin of OCaml buffers: what the line
;;                           allocates itself, and its total.
;;   M-x camlscope-follow    refreshes both while the program runs.
;;   M-x camlscope-clear     removes the figures.

;;; Code:

(require 'compile)
(require 'seq)
(require 'subr-x)

(defgroup camlscope nil
  "Memory profiles of OCaml programs."
  :group 'tools
  :prefix "camlscope-")

(defcustom camlscope-program "camlscope"
  "The name or path of the camlscope command line."
  :type 'string)

(defcustom camlscope-arguments nil
  "Options for every call of `camlscope-program'.
For example, (\"--measure\" \"peak\") shows what is live at the peak,
and (\"--hide\" \"^Stdlib\") attributes library code to its callers."
  :type '(repeat string))

(defcustom camlscope-source-directories nil
  "Folders with the source code.
If nil, the enclosing folder with a dune-project or a repository."
  :type '(repeat directory))

(defcustom camlscope-top 50
  "The maximum number of sites that \\[camlscope] lists."
  :type 'natnum)

(defcustom camlscope-follow-interval 2
  "How often `camlscope-follow' looks for new data, in seconds."
  :type 'number)

(defface camlscope-hot '((t :inherit error))
  "Lines that allocate at least 10% of the total themselves.")

(defface camlscope-warm '((t :inherit warning))
  "Lines that allocate at least 1% of the total themselves.")

(defface camlscope-cold '((t :inherit shadow))
  "All other lines with memory.")

(defvar camlscope--trace nil
  "The trace that figures are from.")

(defvar camlscope--sources nil
  "The folders with the source code of `camlscope--trace'.")

(defvar camlscope--files (make-hash-table :test #'equal)
  "The annotated files, by their true names.")

(defvar camlscope--process nil
  "The process that loads the figures.")

(defvar camlscope--timer nil
  "The timer of `camlscope-follow'.")

(defvar camlscope--stamp nil
  "The size and the time of the trace when it was last read.")

(defconst camlscope--margin-width 20
  "The width of two figures.")

;;; Calling the command line

(defun camlscope--read-trace ()
  "Ask for a trace.  The default is the last one."
  (expand-file-name
   (read-file-name "Trace: " (and camlscope--trace (file-name-directory camlscope--trace))
                   camlscope--trace t)))

(defun camlscope--source-directories ()
  "Return the folders with the source code for the current buffer."
  (or camlscope-source-directories
      (list (or (seq-some (lambda (name) (locate-dominating-file default-directory name))
                          '("dune-workspace" "dune-project" ".git"))
                default-directory))))

(defun camlscope--open (trace)
  "Use TRACE for all commands."
  (setq camlscope--trace (expand-file-name trace)
        camlscope--sources (mapcar #'expand-file-name (camlscope--source-directories))
        camlscope--stamp nil))

(defun camlscope--command (folders &rest arguments)
  "Return the program and its ARGUMENTS as a list.
FOLDERS have the source code."
  (append (list camlscope-program) arguments
          (apply #'append (mapcar (lambda (folder) (list "--source" folder)) folders))
          camlscope-arguments))

(defun camlscope--new-stamp ()
  "Return the size and the time of the trace."
  (when-let ((attributes (file-attributes camlscope--trace)))
    (list (file-attribute-size attributes) (file-attribute-modification-time attributes))))

;;; Sites

(defvar camlscope-sites-error-regexp-alist
  '(("^\\(.+?\\):\\([0-9]+\\):\\([0-9]+\\): " 1 2 3))
  "The lines that `camlscope sites' prints.")

(define-compilation-mode camlscope-sites-mode "Camlscope"
  "A list of allocation sites, most memory first.
RET opens the source, and `next-error' walks the sites."
  (setq-local compilation-error-regexp-alist camlscope-sites-error-regexp-alist)
  (setq-local compilation-error-face compilation-info-face)
  ;; Columns count characters, as OCaml does, not columns of the screen.
  (setq-local compilation-error-screen-columns nil)
  (setq-local compilation-disable-input t))

;;;###autoload
(defun camlscope (trace)
  "List the allocation sites of TRACE, most memory first."
  (interactive (list (camlscope--read-trace)))
  (camlscope--open trace)
  (camlscope--list-sites))

(defun camlscope--list-sites ()
  "Run `camlscope sites' in its buffer, and return the buffer."
  ;; Relative paths are easier to read.
  (let* ((default-directory (file-name-as-directory (car camlscope--sources)))
         (command (camlscope--command (mapcar #'file-relative-name camlscope--sources)
                                      "sites" camlscope--trace "--color" "never"
                                      "--top" (number-to-string camlscope-top))))
    (compilation-start (mapconcat #'shell-quote-argument command " ") 'camlscope-sites-mode
                       (lambda (_mode) "*camlscope*"))))

;;; Figures in the margin

;;;###autoload
(defun camlscope-annotate (trace)
  "Show the memory of each line of TRACE in the margin of OCaml buffers.
Buffers that you open later get figures, too."
  (interactive (list (camlscope--read-trace)))
  (camlscope--open trace)
  (camlscope--load))

;;;###autoload
(define-minor-mode camlscope-annotate-mode
  "Show the memory of each line in the left margin.
The first figure is what the line allocates itself, the second one includes
everything it calls.  `camlscope-annotate' chooses the trace."
  :lighter " Mem"
  (camlscope--hide)
  (when camlscope-annotate-mode
    (camlscope--show))
  (setq left-margin-width (if camlscope-annotate-mode camlscope--margin-width
                            (default-value 'left-margin-width)))
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-buffer window (current-buffer))))

(defun camlscope--load ()
  "Read the figures of the trace in the background, then show them."
  (when (process-live-p camlscope--process)
    (delete-process camlscope--process))
  (setq camlscope--stamp (camlscope--new-stamp))
  (let ((output (generate-new-buffer " *camlscope*"))
        (errors (generate-new-buffer " *camlscope errors*")))
    (setq camlscope--process
          (make-process :name "camlscope" :buffer output :stderr errors :noquery t
                        :connection-type 'pipe :coding 'utf-8
                        :command (camlscope--command camlscope--sources "annotate"
                                                     camlscope--trace "--json" "--top" "1000")
                        :sentinel #'camlscope--loaded))
    (set-process-sentinel (get-buffer-process errors) #'ignore)
    (process-put camlscope--process 'camlscope-errors errors)))

(defun camlscope--loaded (process _event)
  "Show the figures that PROCESS printed."
  (unless (process-live-p process)
    (let ((output (process-buffer process))
          (errors (process-get process 'camlscope-errors)))
      (unwind-protect
          (when (memq (process-status process) '(exit failed))
            (camlscope--take (camlscope--reply output errors)))
        (kill-buffer output)
        (when-let ((of-errors (get-buffer-process errors)))
          (delete-process of-errors))
        (kill-buffer errors)))))

(defun camlscope--reply (output errors)
  "Return the JSON in OUTPUT, or else an error with the text in ERRORS."
  (let ((reply (with-current-buffer output
                 (goto-char (point-min))
                 (ignore-errors
                   (json-parse-buffer :object-type 'alist :array-type 'list
                                      :null-object nil :false-object nil)))))
    (or reply
        (let ((text (progn
                      (when-let ((of-errors (get-buffer-process errors)))
                        (accept-process-output of-errors 1))
                      (with-current-buffer errors (string-trim (buffer-string))))))
          `((error . ((text . ,(if (string-empty-p text) "camlscope printed nothing." text)))))))))

(defun camlscope--take (reply)
  "Show the figures in REPLY, in all buffers with one of its files."
  (let-alist reply
    (if .error
        (message "camlscope: %s %s" .error.text (or .error.advice ""))
      (clrhash camlscope--files)
      (dolist (file .files)
        (when-let ((path (alist-get 'path file)))
          (puthash (file-truename path) file camlscope--files)))
      (add-hook 'find-file-hook #'camlscope--annotate-visited)
      (dolist (buffer (buffer-list))
        (with-current-buffer buffer
          (camlscope--annotate-visited)))
      (camlscope--report-newer .files))))

(defun camlscope--report-newer (files)
  "Report which of FILES were changed after the trace was recorded."
  (let ((newer (seq-filter (lambda (file) (alist-get 'newer_than_trace file)) files)))
    (if newer
        (message "camlscope: changed after the trace was recorded, so lines may be wrong: %s"
                 (mapconcat (lambda (file) (alist-get 'file file)) newer ", "))
      (message "camlscope: figures of %d file%s" (length files) (if (cdr files) "s" "")))))

(defun camlscope--file ()
  "Return the annotations of the current buffer's file, or nil."
  (and buffer-file-name (gethash (file-truename buffer-file-name) camlscope--files)))

(defun camlscope--annotate-visited ()
  "Show figures if the trace has the current buffer's file."
  (cond ((camlscope--file) (camlscope-annotate-mode 1))
        (camlscope-annotate-mode (camlscope-annotate-mode -1))))

(defun camlscope--hide ()
  "Remove the figures from the current buffer."
  (save-restriction
    (widen)
    (remove-overlays nil nil 'camlscope t)))

(defun camlscope--show ()
  "Add figures to the current buffer."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (let ((at 1))
        ;; Lines are in ascending order.
        (dolist (line (alist-get 'lines (camlscope--file)))
          (let ((number (alist-get 'line line)))
            ;; The file can have fewer lines than the one that was compiled.
            (when (and (> number 0) (zerop (forward-line (- number at))) (not (eobp)))
              (camlscope--show-line line)
              (setq at number))))))))

(defun camlscope--show-line (line)
  "Show the figures of LINE at point."
  (let* ((text (propertize (camlscope--margin-text line)
                           'face (camlscope--face (alist-get 'self_share line))
                           'help-echo (camlscope--explanation line)))
         (overlay (make-overlay (point) (point))))
    (overlay-put overlay 'camlscope t)
    (overlay-put overlay 'before-string
                 (propertize " " 'display `((margin left-margin) ,text)))))

(defun camlscope--margin-text (line)
  "Return the two figures of LINE."
  (let-alist line
    (format "%9s %9s " (if (> .self 0) .self_text "") .total_text)))

(defun camlscope--explanation (line)
  "Return the figures of LINE with words."
  (let-alist line
    (format "Total: %s\nSelf: %s" .text .self_text)))

(defun camlscope--face (share)
  "Return the face of a line that allocates this SHARE of the total itself."
  (cond ((>= share 0.1) 'camlscope-hot)
        ((>= share 0.01) 'camlscope-warm)
        (t 'camlscope-cold)))

;;;###autoload
(defun camlscope-clear ()
  "Remove the figures from all buffers, and stop following the trace."
  (interactive)
  (camlscope--stop-following)
  (clrhash camlscope--files)
  (remove-hook 'find-file-hook #'camlscope--annotate-visited)
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when camlscope-annotate-mode
        (camlscope-annotate-mode -1)))))

;;; Following a running program

;;;###autoload
(defun camlscope-follow (trace)
  "Show the memory of each line of TRACE, and keep it up to date.
The list of sites is refreshed, too, if there is one.  With a trace that is
already followed, stop."
  (interactive (list (if camlscope--timer camlscope--trace (camlscope--read-trace))))
  (if (and camlscope--timer (equal (expand-file-name trace) camlscope--trace))
      (progn
        (camlscope--stop-following)
        (message "camlscope: no longer following %s" trace))
    (camlscope--stop-following)
    (camlscope-annotate trace)
    (setq camlscope--timer (run-with-timer camlscope-follow-interval camlscope-follow-interval
                                           #'camlscope--refresh))))

(defun camlscope--stop-following ()
  "Stop the timer."
  (when camlscope--timer
    (cancel-timer camlscope--timer)
    (setq camlscope--timer nil)))

(defun camlscope--refresh ()
  "Read the trace again if it has changed.  Return whether it has."
  (let ((stamp (camlscope--new-stamp)))
    (when (and stamp (not (equal stamp camlscope--stamp)) (not (process-live-p camlscope--process)))
      (camlscope--load)
      (when-let ((buffer (get-buffer "*camlscope*")))
        (unless (process-live-p (get-buffer-process buffer))
          (let ((display-buffer-overriding-action
                 '(display-buffer-no-window (allow-no-window . t))))
            (save-window-excursion (camlscope--list-sites)))))
      t)))

(provide 'camlscope)
;;; camlscope.el ends here
