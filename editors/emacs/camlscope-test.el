;;; camlscope-test.el --- Tests of camlscope.el  -*- lexical-binding: t; -*-

;;; Commentary:

;; Run by `cargo test', which sets CAMLSCOPE to the command line and
;; CAMLSCOPE_FIXTURES to a folder with traces and their sources.

;;; Code:

(require 'camlscope)
(require 'ert)
(require 'seq)

(defconst camlscope-test-program (getenv "CAMLSCOPE"))

(defun camlscope-test-fixture (name)
  "Return the path of the fixture NAME."
  (expand-file-name name (getenv "CAMLSCOPE_FIXTURES")))

(defun camlscope-test-wait (process)
  "Wait until PROCESS has ended and its output was used."
  (let ((n-left 600))
    (while (and (process-live-p process) (> n-left 0))
      (accept-process-output process 0.1)
      (setq n-left (1- n-left)))
    (should (> n-left 0))
    (accept-process-output nil 0.1)))

(defun camlscope-test-run (&rest arguments)
  "Return what the command line prints with ARGUMENTS."
  (with-temp-buffer
    (apply #'call-process camlscope-test-program nil '(t nil) nil arguments)
    (buffer-string)))

(defmacro camlscope-test-in-project (source &rest body)
  "Run BODY in a project with the file SOURCE, which is open in a buffer.
The variable `folder' is the project's folder, `path' the file, and
`buffer' its buffer."
  (declare (indent 1))
  `(let* ((folder (file-name-as-directory (file-truename (make-temp-file "camlscope" t))))
          (default-directory folder)
          (camlscope-program camlscope-test-program)
          (path (expand-file-name (concat "src/" ,source) folder))
          buffer)
     (make-directory (file-name-directory path))
     (write-region "" nil (expand-file-name "dune-project" folder) nil 'quiet)
     (copy-file (camlscope-test-fixture (concat "source/" ,source)) path)
     (set-file-modes path #o644)
     ;; Older than the trace.
     (set-file-times path (seconds-to-time 1))
     (setq buffer (find-file-noselect path))
     (unwind-protect (progn ,@body)
       (camlscope-clear)
       (kill-buffer buffer)
       (when (get-buffer "*camlscope*") (kill-buffer "*camlscope*"))
       (delete-directory folder t))))

(defun camlscope-test-annotate (trace)
  "Annotate with TRACE, and wait for the figures."
  (camlscope-annotate trace)
  (camlscope-test-wait camlscope--process))

(defun camlscope-test-margins (buffer)
  "Return the lines with figures in the margin of BUFFER, as pairs."
  (with-current-buffer buffer
    (let ((overlays (seq-filter (lambda (overlay) (overlay-get overlay 'camlscope))
                                (overlays-in (point-min) (point-max)))))
      (sort (mapcar (lambda (overlay)
                      (let ((display (get-text-property 0 'display (overlay-get overlay 'before-string))))
                        (cons (line-number-at-pos (overlay-start overlay))
                              (substring-no-properties (cadr display)))))
                    overlays)
            (lambda (one two) (< (car one) (car two)))))))

(defun camlscope-test-figures (trace file)
  "Return the command line's figures of FILE in TRACE, like the margins."
  (let* ((json (camlscope-test-run "annotate" trace file "--json"))
         (reply (json-parse-string json :object-type 'alist :array-type 'list
                                   :null-object nil :false-object nil)))
    (mapcar (lambda (line) (cons (alist-get 'line line) (camlscope--margin-text line)))
            (alist-get 'lines (car (alist-get 'files reply))))))

(ert-deftest camlscope-margins-have-the-figures-of-the-command-line ()
  (dolist (case '(("orders.ml" "orders-1e-4-v2.ctf") ("leak.ml" "spacetime-11710")))
    (camlscope-test-in-project (car case)
      (let ((trace (camlscope-test-fixture (cadr case))))
        (camlscope-test-annotate trace)
        (should (buffer-local-value 'camlscope-annotate-mode buffer))
        (should (> (length (camlscope-test-margins buffer)) 7))
        (should (equal (camlscope-test-margins buffer) (camlscope-test-figures trace path)))))))

(ert-deftest camlscope-buffers-opened-later-get-figures-and-clear-removes-them ()
  (camlscope-test-in-project "orders.ml"
    (kill-buffer buffer)
    (camlscope-test-annotate (camlscope-test-fixture "orders-1e-4-v2.ctf"))
    (setq buffer (find-file-noselect path))
    (should (camlscope-test-margins buffer))
    (should (= (buffer-local-value 'left-margin-width buffer) camlscope--margin-width))
    (camlscope-clear)
    (should-not (camlscope-test-margins buffer))
    (should (= (buffer-local-value 'left-margin-width buffer) 0))))

(ert-deftest camlscope-figures-stay-on-their-lines-while-a-buffer-is-edited ()
  (camlscope-test-in-project "orders.ml"
    (camlscope-test-annotate (camlscope-test-fixture "orders-1e-4-v2.ctf"))
    (let ((before (camlscope-test-margins buffer)))
      (with-current-buffer buffer
        (goto-char (point-min))
        (insert "(* new *)\n")
        (set-buffer-modified-p nil))
      (should (equal (mapcar (lambda (line) (cons (1+ (car line)) (cdr line))) before)
                     (camlscope-test-margins buffer))))))

(ert-deftest camlscope-sites-lead-to-the-source ()
  (camlscope-test-in-project "orders.ml"
    (let ((camlscope-top 500)
          ;; So that all sites are in the project.
          (camlscope-arguments '("--hide" "^(Stdlib|Camlinternal)")))
      (camlscope (camlscope-test-fixture "orders-1e-4-v2.ctf")))
    (let ((sites (get-buffer "*camlscope*")) (seen nil))
      (camlscope-test-wait (get-buffer-process sites))
      (with-current-buffer sites
        (should (derived-mode-p 'compilation-mode))
        (goto-char (point-min))
        (should (search-forward "src/orders.ml:88:35: " nil t))
        (goto-char (point-min))
        (while (re-search-forward "^src/orders\\.ml:\\([0-9]+\\):\\([0-9]+\\): " nil t)
          (push (list (string-to-number (match-string 1)) (string-to-number (match-string 2))) seen)))
      (should (> (length seen) 20))
      ;; `next-error' visits each site in the project at its line and column.
      (setq next-error-last-buffer sites)
      (dolist (site (seq-take (reverse seen) 20))
        (next-error)
        (with-current-buffer buffer
          (should (equal site (list (line-number-at-pos) (1+ (current-column))))))))))

(ert-deftest camlscope-follow-shows-what-the-program-has-added ()
  (camlscope-test-in-project "orders.ml"
    (let ((trace (expand-file-name "live.ctf" folder))
          (whole (camlscope-test-fixture "orders-1e-4-v2.ctf"))
          (coding-system-for-read 'no-conversion)
          (coding-system-for-write 'no-conversion)
          (camlscope-follow-interval 1000))
      (with-temp-buffer
        (set-buffer-multibyte nil)
        (insert-file-contents-literally whole nil 0 100000)
        (write-region nil nil trace nil 'quiet))
      (camlscope-follow trace)
      (camlscope-test-wait camlscope--process)
      (let ((before (camlscope-test-margins buffer)))
        (should before)
        (should-not (camlscope--refresh))
        (copy-file whole trace t)
        (should (camlscope--refresh))
        (camlscope-test-wait camlscope--process)
        (should-not (equal before (camlscope-test-margins buffer)))
        (should (equal (camlscope-test-margins buffer) (camlscope-test-figures whole path))))
      (camlscope-follow trace)
      (should-not camlscope--timer))))

(ert-deftest camlscope-errors-of-the-command-line-are-shown ()
  (camlscope-test-in-project "orders.ml"
    (camlscope-test-annotate path)
    (should-not (camlscope-test-margins buffer))
    (with-current-buffer "*Messages*"
      (goto-char (point-max))
      (should (search-backward "isn't a memtrace trace" nil t)))
    (let ((camlscope-arguments '("--measure" "nonsense")))
      (camlscope-test-annotate (camlscope-test-fixture "orders-1e-4-v2.ctf")))
    (with-current-buffer "*Messages*"
      (goto-char (point-max))
      (should (search-backward "invalid value 'nonsense'" nil t)))))

(provide 'camlscope-test)
;;; camlscope-test.el ends here
