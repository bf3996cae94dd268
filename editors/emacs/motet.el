;;; motet.el --- contracts in Emacs  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: languages, tools

;;; Commentary:

;; A major mode for contracts (.tenor) and an entry for eglot, which starts
;; `motet lsp'.  Put this directory on the load-path and say (require 'motet).

;;; Code:

(defgroup motet nil
  "Contracts in Emacs."
  :group 'languages)

(defcustom motet-command '("motet" "lsp")
  "The program that answers, with its arguments."
  :type '(repeat string)
  :group 'motet)

(defconst motet-keywords
  '("import" "type" "fact" "source" "entity" "rule" "operation" "persona" "flow" "system"
    "and" "or" "not" "forall" "exists" "in" "present" "len" "verdict_present" "verdict"
    "true" "false"))

(defconst motet-types
  '("Bool" "Int" "Decimal" "Text" "Date" "DateTime" "Money" "Duration" "Enum" "Record"
    "List" "TaggedUnion"))

(defvar motet-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "w" table)
    table))

(defvar motet-font-lock
  `((,(regexp-opt motet-keywords 'words) . font-lock-keyword-face)
    (,(regexp-opt motet-types 'words) . font-lock-type-face)
    ("\\_<\\([a-z_]+\\)[ \t]*:" 1 font-lock-variable-name-face)))

;;;###autoload
(define-derived-mode motet-mode prog-mode "Motet"
  "Major mode for contracts."
  :syntax-table motet-mode-syntax-table
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(motet-font-lock)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.tenor\\'" . motet-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons 'motet-mode (lambda (&rest _) motet-command))))

(provide 'motet)
;;; motet.el ends here
